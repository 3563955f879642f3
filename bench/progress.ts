import { Presets, SingleBar } from 'cli-progress'

export type Progress = {
  /** What is being done from now on. */
  begin(step: string): void
  /** Some of the work is done. */
  advance(events: number): void
  /** The step's result; a line of its own. */
  note(line: string): void
  stop(): void
}

/** A bar on a terminal, plain lines elsewhere; always on stderr, so that stdout holds the results alone. */
export function createProgress(totalEvents: number, output: NodeJS.WriteStream = process.stderr): Progress {
  return output.isTTY ? createBar(totalEvents, output) : createLines(output)
}

function createBar(totalEvents: number, output: NodeJS.WriteStream): Progress {
  const bar = new SingleBar({ format: '{bar} {percentage} % | {step}', stream: output, hideCursor: true, fps: 4 }, Presets.shades_classic)
  bar.start(totalEvents, 0, { step: 'starting' })
  return {
    begin: (step) => bar.update({ step }),
    advance: (events) => bar.increment(events),
    note: (line) => bar.update({ step: line }),
    stop: () => bar.stop(),
  }
}

function createLines(output: NodeJS.WriteStream): Progress {
  return {
    begin: () => {},
    advance: () => {},
    note: (line) => output.write(`${line}\n`),
    stop: () => {},
  }
}
