// Drives the engine's walk: the only asynchronous part of a turn. The engine asks, whoever calls this answers.
// Live turns are answered by the provider gateway, stored tests by their script.
import {
  walkTurn,
  type AgentOutcome,
  type AgentSpec,
  type BranchQuestion,
  type Classification,
  type CompiledFlow,
  type ExtractQuestion,
  type Extraction,
  type Step,
  type TurnInput,
  type TurnOutcome,
} from '@parley/flow-engine';

/** Answers are values: what could not be answered is answered `unavailable`, and nothing here throws for it. */
export interface Answers {
  classify(question: BranchQuestion): Promise<Classification>;
  extract(question: ExtractQuestion): Promise<Extraction>;
  runAgent(spec: AgentSpec): Promise<AgentOutcome>;
}

/** Most turns ask nothing: their outcome is there at once. `answers` is called for the others. */
export function driveTurn(
  flow: CompiledFlow,
  turn: TurnInput,
  answers: () => Answers,
): TurnOutcome | Promise<TurnOutcome> {
  const step = walkTurn(flow, turn);
  return step.kind === 'done' ? step.result : goOn(step, answers());
}

async function goOn(first: Step, answers: Answers): Promise<TurnOutcome> {
  let step = first;
  for (;;) {
    switch (step.kind) {
      case 'done':
        return step.result;
      case 'classify':
        step = step.resume(await answers.classify(step.question));
        break;
      case 'extract':
        step = step.resume(await answers.extract(step.question));
        break;
      case 'run_agent':
        step = step.resume(await answers.runAgent(step.spec));
        break;
    }
  }
}
