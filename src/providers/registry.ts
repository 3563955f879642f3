import type { Provider } from './provider.ts'

export type Providers = ReadonlyMap<string, Provider>

export function createProviders(providers: Provider[]): Providers {
  return new Map(providers.map((provider) => [provider.name, provider]))
}

export function getProvider(providers: Providers, name: string): Provider {
  const provider = providers.get(name)
  if (!provider) throw new Error(`The provider ${name} is not configured`)
  return provider
}
