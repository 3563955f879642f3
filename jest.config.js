/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'json'],
  // What wants programs that npm does not bring is in test/peers: npm run test:peers.
  testMatch: ['<rootDir>/test/(unit|integration|e2e)/**/*.test.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }],
  },
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
  // Far above what any test takes, for a machine that is busy with others.
  testTimeout: 120_000,
  // Most of the time goes by waiting for processes, time-outs and the disk, so four at once fit on two cores.
  maxWorkers: 4,
}
