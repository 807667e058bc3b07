// Drives the engine's walk: the only asynchronous part of a turn. The engine asks, whoever calls this answers.
// Live turns are answered by the provider gateway; stored tests, by their script, are the engine's own (playTest).
import {
  type AgentOutcome,
  type AgentSpec,
  type BranchQuestion,
  type Classification,
  type ExtractQuestion,
  type Extraction,
  type Step,
  type TurnOutcome,
} from '@parley/flow-engine';

/** Answers are values: what could not be answered is answered `unavailable`, and nothing here throws for it. */
export interface Answers {
  classify(question: BranchQuestion): Promise<Classification>;
  extract(question: ExtractQuestion): Promise<Extraction>;
  runAgent(spec: AgentSpec): Promise<AgentOutcome>;
}

/** From the first step of a walk to its outcome. */
export async function driveTurn(first: Step, answers: Answers): Promise<TurnOutcome> {
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
