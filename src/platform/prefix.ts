const LAST_CHARACTER = '\u{10ffff}'

/** What begins with a text lies from the first bound on and below the second, in a column that sorts by bytes. */
export function prefixBounds(text: string): [string, string] {
  return [text, `${text}${LAST_CHARACTER}`]
}
