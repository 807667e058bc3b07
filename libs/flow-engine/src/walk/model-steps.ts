// Steps that ask a model, and continue with its answer on a copy of the walk.
import type { CompiledExtraction } from './extraction.ts';
import { applyAgentOutcome } from './agent.ts';
import { applyExtraction, extractQuestion, readByExamples, type Reading } from './collect.ts';
import type { AutonomousNode, ChoiceExit, CollectNode, CompiledNode } from '../compile/compiled.ts';
import { limits } from '../define/limits.ts';
import { decideAfterModel, decideByExamples } from './by-examples.ts';
import { withinBudget } from './outcomes.ts';
import { readClassification, toBranchQuestion, type ClassifierDecision } from './route.ts';
import { mayReadAgain, readerQuestion, readProposal } from './second-reader.ts';
import type { AgentOutcome, AgentSpec, Step } from './turn.ts';
import { forkWalk, type Walk } from './walk-state.ts';

/**
 * Asks a model, if the cast refused and the node allows it (docs/flow-language.md#second-reader).
 */
export function readAgain(
  walk: Walk,
  node: CollectNode,
  reading: Reading,
  proceed: (walk: Walk, reading: Reading) => Step,
): Step {
  if (!mayReadAgain(walk, node, reading)) return proceed(walk, readByExamples(walk, node, reading));
  return {
    kind: 'extract',
    question: readerQuestion(walk, node),
    resume: (answer) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        const again = readProposal(resumed, node, reading, answer);
        return proceed(resumed, readByExamples(resumed, node, again));
      }),
  };
}

export function toClassifyStep(
  walk: Walk,
  node: CompiledNode,
  choices: readonly ChoiceExit[],
  proceed: (walk: Walk, decision: ClassifierDecision) => Step,
): Step {
  const decided = decideByExamples(walk, node, choices);
  if (decided !== null) {
    // Counted like a question, so that a loop stays bounded.
    walk.asked.push(node.id);
    return proceed(walk, decided);
  }
  const confidenceMin = walk.turn.classifierConfidenceMin ?? limits.classifierConfidenceMin;
  return {
    kind: 'classify',
    question: toBranchQuestion(walk, node, choices),
    resume: (answer) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        resumed.asked.push(node.id);
        resumed.modelAsked = true;
        const decision = readClassification(answer, choices, confidenceMin);
        return proceed(resumed, decideAfterModel(resumed, node, choices, decision));
      }),
  };
}

/** Asks the extractor, and merges its values. */
export function toExtractStep(
  walk: Walk,
  node: CollectNode,
  extraction: CompiledExtraction,
  proceed: (walk: Walk, node: CompiledNode) => Step,
): Step {
  return {
    kind: 'extract',
    question: extractQuestion(walk, node, extraction),
    resume: (answer) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        applyExtraction(resumed, node, extraction, answer);
        return proceed(resumed, node);
      }),
  };
}

export function toAgentStep(
  walk: Walk,
  node: AutonomousNode,
  spec: AgentSpec,
  proceed: (walk: Walk, outcome: AgentOutcome) => Step,
): Step {
  return {
    kind: 'run_agent',
    spec,
    resume: (outcome) =>
      withinBudget(() => {
        const resumed = forkWalk(walk);
        applyAgentOutcome(resumed, node, spec, outcome);
        return proceed(resumed, outcome);
      }),
  };
}
