/** What others are told of an order; `body` is sent as it stands here, however often. */
export type OrderMessage = {
  messageId: string
  orderId: string
  /** Grows with each message of an order. */
  sequence: number
  type: string
  correlationId: string
  /** The message id of the event that caused it; null where a person or the shop said something. */
  causationId: string | null
  createdAt: Date
  body: string
}

export type MessageContent = Omit<OrderMessage, 'body'> & { source: string; data: unknown }

/** CloudEvents 1.0 in structured mode: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
export function toMessage({ source, data, ...message }: MessageContent): OrderMessage {
  const envelope = {
    specversion: '1.0',
    id: message.messageId,
    source,
    type: message.type,
    subject: message.orderId,
    time: message.createdAt.toISOString(),
    datacontenttype: 'application/json',
    correlationid: message.correlationId,
    ...(message.causationId !== null && { causationid: message.causationId }),
    sequence: message.sequence,
    data,
  }
  return { ...message, body: JSON.stringify(envelope) }
}
