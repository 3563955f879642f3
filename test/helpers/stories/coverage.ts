import { EVENT_TYPES, type Story } from './story.ts'

/** How many events of each type these stories have; those that none has are 0. */
export function countTypes(stories: Story[]): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(EVENT_TYPES.map((type) => [type, 0]))
  for (const { type } of stories.flatMap(({ events }) => events)) counts[type] = (counts[type] ?? 0) + 1
  return counts
}
