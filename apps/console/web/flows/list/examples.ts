// The example flows of the flow builder, loaded on demand.
import type { AuthoredFlow } from '@parley/flow-engine';

export interface Example {
  readonly flow_id: string;
  readonly name: string;
  readonly description?: string;
  readonly definition: AuthoredFlow;
}

const files = import.meta.glob<{ readonly default: Example }>('../../../../flow-builder/examples/*.json');

export async function loadExamples(): Promise<Example[]> {
  const examples = await Promise.all(Object.values(files).map(async (load) => (await load()).default));
  return examples.sort((a, b) => a.name.localeCompare(b.name));
}
