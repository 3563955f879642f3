/**
 * lost: answered 2xx and not stored, stored and not applied, or a change of an order that its receiver never heard of.
 * doubled: stored or applied twice, a message id with two contents, two messages for one (order, sequence).
 * forged: stored bytes that nobody signed. wrong: whatever else is not as it must be.
 */
export type Finding = { kind: 'lost' | 'doubled' | 'forged' | 'wrong'; what: string }

export const KINDS = ['lost', 'doubled', 'forged', 'wrong'] as const satisfies Finding['kind'][]
