import { breakConnections, holdLocks } from '../test/helpers/disturb-database.ts'
import { waitUntil } from '../test/helpers/wait-until.ts'
import type { Load } from './load/load.ts'
import type { Service } from './stage/service.ts'
import type { Stage } from './stage/stage.ts'

export type Scene = { stage: Stage; load: Load; random: () => number }
export type Fault = {
  name: string /** Takes something away; returns what brings it back. */
  start(scene: Scene): Promise<() => Promise<void>>
}

const all = (services: Service[], act: (service: Service) => Promise<void>) => Promise.all(services.map(act)).then(() => {})
const start = (service: Service) => service.start()
const kill = (service: Service) => service.kill()
const stop = (service: Service) => service.stop()

function pick<Item>(items: Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item
}

/** `skip locked`, so that we never wait for the gateway while it waits for us. */
const ROWS = ['orders', 'payment_objects', 'webhook_events', 'dispatch_lanes'].map(
  (table) => `select from sluice.${table} order by random() limit 200 for update skip locked`,
)

/** Those come first after which jobs stay claimed until the heartbeat of their worker lapses. */
export const FAULTS: Fault[] = [
  {
    name: 'worker killed',
    async start({ stage, random }) {
      const worker = pick(stage.workers, random)
      await worker.kill()
      return () => worker.start()
    },
  },
  {
    name: 'relays killed while they send',
    async start({ stage: { receiver, workers } }) {
      receiver.hold()
      await waitUntil('a relay sends', () => receiver.holding() > 0)
      await all(workers, kill)
      receiver.release()
      return () => all(workers, start)
    },
  },
  {
    name: 'PostgreSQL killed',
    async start({ stage: { postgres } }) {
      await postgres.kill()
      return () => postgres.start()
    },
  },
  {
    name: 'everything killed at once',
    async start({ stage: { postgres, apis, workers } }) {
      await Promise.all([postgres.kill(), all(apis, kill), all(workers, kill)])
      return async () => {
        await postgres.start()
        await all([...apis, ...workers], start)
      }
    },
  },
  {
    name: 'connections terminated',
    async start({ stage: { postgres } }) {
      await breakConnections(postgres)
      return async () => {}
    },
  },
  {
    name: 'queue filled to its maximum',
    async start({ stage: { workers }, load }) {
      const before = load.counts.shed
      await all(workers, stop)
      await waitUntil('deliveries are shed', () => load.counts.shed > before, 120_000)
      return () => all(workers, start)
    },
  },
  {
    name: 'API killed',
    async start({ stage, random }) {
      const api = pick(stage.apis, random)
      await api.kill()
      return () => api.start()
    },
  },
  {
    name: 'API asked to stop',
    async start({ stage, random }) {
      const api = pick(stage.apis, random)
      await api.stop()
      return () => api.start()
    },
  },
  {
    name: 'rows locked',
    async start({ stage: { postgres }, random }) {
      const locks = await holdLocks(postgres, pick(ROWS, random))
      return () => locks.release()
    },
  },
  {
    name: 'commits stalled',
    async start({ stage: { postgres } }) {
      const locks = await holdLocks(postgres, 'lock table sluice.event_bodies in exclusive mode')
      return () => locks.release()
    },
  },
  {
    name: 'receiver stopped',
    async start({ stage: { receiver } }) {
      await receiver.stop()
      return () => receiver.start()
    },
  },
]
