import { Command, Option } from 'commander'
import { loadConfig, type Role } from './config.ts'
import { EXIT_CONFIG, errorMessage, StartError } from './platform/errors.ts'

loadDotEnv()
// Who pipes us into `head` has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
const program = new Command('sluice').description('Webhook ingress gateway for payment providers')

program
  .command('serve')
  .description('receive webhooks, process them, answer the API')
  .addOption(new Option('--role <role>', 'what this process does').choices(['all', 'api', 'worker']).default('all'))
  .action(async ({ role }: { role: Role }) => {
    const { serve } = await import('./commands/serve.ts')
    await serve(loadConfig({ role }))
  })

program
  .command('migrate')
  .description('bring the tables in DATABASE_URL up to date')
  .action(async () => {
    const { runMigrate } = await import('./commands/migrate.ts')
    await runMigrate(loadConfig({ role: 'worker' }))
  })

program
  .command('send')
  .description('sign a sample event, send it to the running gateway and show what became of it')
  .argument('[type]', 'which event; see --list')
  .option('--list', 'show what can be sent')
  .option('--order <id>', 'the order that the event names')
  .option('--amount <minor>', 'in minor units (cents)', '2000')
  .option('--currency <code>', 'ISO 4217', 'USD')
  .option('--payment <id>', 'the payment it is about; one order has one payment unless you say so')
  .option('--id <evt_…>', 'the event id; the same one again is a duplicate')
  .action(async (type, options) => {
    const { send } = await import('./commands/send.ts')
    process.exitCode = await send(loadConfig({ role: 'worker' }), type, options)
  })

program
  .command('show')
  .description("print an event's story")
  .argument('<id>', "the provider's event id or our message id")
  .action(async (id: string) => {
    const { show } = await import('./commands/show.ts')
    process.exitCode = await show(loadConfig({ role: 'worker' }), id)
  })

program
  .command('demo')
  .description('play a story on a fresh database and print what becomes of it')
  .action(async () => {
    const { demo } = await import('./commands/demo.ts')
    await demo(loadConfig({ env: {}, role: 'all' }))
    // Prisma's engine leaves a timer of ten seconds behind, for which nobody should wait.
    process.exit()
  })

try {
  await program.parseAsync()
} catch (error) {
  reportAndExit(error)
}

/** The environment wins over the file. */
function loadDotEnv(): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') reportAndExit(error)
  }
}

function reportAndExit(error: unknown): never {
  if (error instanceof StartError) {
    process.stderr.write(`Sluice cannot start:\n${error.problems.map((problem) => `  - ${problem}\n`).join('')}`)
    process.exit(EXIT_CONFIG)
  }
  process.stderr.write(`${errorMessage(error)}\n`)
  process.exit(1)
}
