// Where Stripe counts in other units than ISO 4217 does: https://docs.stripe.com/currencies#special-cases
const STRIPE_DIGITS: Record<string, number> = { ISK: 2, UGX: 2, MGA: 0 }

/** For people: 200000 USD is `2,000.00 USD`, 2000 JPY `2,000 JPY`, 2000 KWD `2.000 KWD`. */
export function formatMoney(minor: number | bigint, currency: string | null): string {
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return String(minor)
  const digits = digitsOf(currency)
  const text = String(minor)
    .replace('-', '')
    .padStart(digits + 1, '0')
  const whole = new Intl.NumberFormat('en').format(BigInt(text.slice(0, text.length - digits)))
  const fraction = digits > 0 ? `.${text.slice(-digits)}` : ''
  return `${minor < 0 ? '−' : ''}${whole}${fraction} ${currency}`
}

function digitsOf(currency: string): number {
  return (
    STRIPE_DIGITS[currency] ?? new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  )
}
