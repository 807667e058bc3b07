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
  type TurnInput,
  type TurnOutcome,
} from '@parley/flow-engine';

/** Answers are values: what could not be answered is answered `unavailable`, and nothing here throws for it. */
export interface Answers {
  classify(question: BranchQuestion): Promise<Classification>;
  extract(question: ExtractQuestion): Promise<Extraction>;
  runAgent(spec: AgentSpec): Promise<AgentOutcome>;
}

export async function driveTurn(flow: CompiledFlow, turn: TurnInput, answers: Answers): Promise<TurnOutcome> {
  let step = walkTurn(flow, turn);
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
