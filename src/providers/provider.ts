import type { IncomingHttpHeaders } from 'node:http'
import type { EventEnvelope, Reference, StoredEvent } from '../events/event.ts'
import type { PaymentFact } from '../events/payment-fact.ts'
import { HttpError } from '../platform/errors.ts'

/** What a provider's deliveries need of us; one adapter for each, in a folder of its own. */
export type Provider = {
  readonly name: string
  /**
   * Refuses what the headers alone rule out, so that such a body is never read.
   * Returns what `verify` needs of them; throws DeliveryRefusedError.
   */
  checkHeaders(headers: IncomingHttpHeaders, now: Date): CheckedHeaders
  /** Proves who sent these bytes and reads the events in them; throws DeliveryRefusedError. */
  verify(checked: CheckedHeaders, body: Buffer): Promise<VerifiedDelivery>
  /** What a stored event means. Never throws for what a sender can put into a body. */
  interpret(event: StoredEvent): Interpretation
}

export type CheckedHeaders = { timestampSeconds?: number; signatures: string[]; clockOffsetSeconds?: number }

export type VerifiedDelivery = { secretName: string; events: EventEnvelope[] }

export type Interpretation = { references: Reference[] } & (
  | { kind: 'facts'; facts: PaymentFact[] }
  | { kind: 'ignored' | 'parked'; reason: string }
)

export type RefusalCode =
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_out_of_tolerance'
  | 'payload_invalid'

/** For the log only: names of secrets and distances, never what the sender wrote. */
export type Diagnosis = { secretsTried?: string[]; clockOffsetSeconds?: number; hint?: string }

export class DeliveryRefusedError extends HttpError {
  override name = 'DeliveryRefusedError'
  readonly diagnosis: Diagnosis

  constructor(code: RefusalCode, detail: string, diagnosis: Diagnosis = {}, options?: ErrorOptions) {
    super(400, code, detail, options)
    this.diagnosis = diagnosis
  }
}
