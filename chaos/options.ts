import { Command, InvalidArgumentError, Option } from 'commander'

export type Options = { deliveries: number; faults: number; seed: number; perSecond: number; connections: number; queueDepth: number }

export function parseOptions(): Options {
  return new Command('chaos')
    .description('takes everything away from the gateway under load, again and again, and checks that nothing is lost or doubled')
    .addOption(new Option('--deliveries <n>', 'at least so many').default(30_000).argParser(parseCount))
    .addOption(new Option('--faults <n>', 'spread over the deliveries').default(22).argParser(parseCount))
    .addOption(
      new Option('--seed <n>', 'the same stories, forgeries and faults')
        .argParser(parseCount)
        .default(Date.now() % 2 ** 30, 'another each time'),
    )
    .addOption(new Option('--per-second <n>', 'deliveries a second, at most').default(600).argParser(parseCount))
    .addOption(new Option('--connections <n>', 'that send at the same time').default(32).argParser(parseCount))
    .addOption(new Option('--queue-depth <n>', 'MAX_QUEUE_DEPTH of the gateway').default(2000).argParser(parseCount))
    .parse()
    .opts<Options>()
}

function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('must be a whole number of at least 1.')
  return count
}
