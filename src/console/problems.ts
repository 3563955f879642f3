import { HttpError } from '../platform/errors.ts'
import { texts } from './texts.ts'

export const eventNotFound = () => new HttpError(404, 'event_not_found', texts.problems.noEvent)
export const orderNotFound = () => new HttpError(404, 'order_not_found', texts.problems.noOrder)
export const paymentNotFound = () => new HttpError(404, 'payment_not_found', texts.problems.noPayment)
export const replayNotFound = () => new HttpError(404, 'replay_not_found', texts.problems.noReplay)
export const messageNotFound = () => new HttpError(404, 'message_not_found', texts.problems.noMessage)
