// The embedded classifier: what it decides, and what does not change a decision.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { trainClassifier, type TaughtBranch } from './classifier.ts';

const branch = (described: string, examples: readonly string[], counterExamples: readonly string[] = []) => ({
  described,
  examples,
  counterExamples,
});
const branches: readonly TaughtBranch[] = [
  branch('renews a prescription', [
    'I need more of my tablets',
    'can you renew my prescription',
    'my inhaler is empty, I need a new one',
    'repeat prescription please',
    'I have run out of my medicine',
  ]),
  branch('wants an appointment', [
    'I would like to see a doctor',
    'can I come in tomorrow',
    'book an appointment for my son',
    'is there a free slot this week',
    'I want to make an appointment',
  ]),
  branch(
    'asks about results',
    ['are my blood results back', 'what did the x-ray show', 'I am calling about my test results'],
    ['how long do results take'],
  ),
];
const classifier = trainClassifier(branches);
const words = [
  'prescription',
  'doctor',
  'results',
  'tablets',
  'the',
  'my',
  'book',
  'slot',
  'please',
  'x-ray',
  '薬',
  '?',
];
const utterances = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((said) => said.join(' '));

describe('decides', () => {
  test.each([
    ['could you renew my prescription please', 0],
    ['please book an appointment for my daughter', 1],
    ['I am calling about the test results', 2],
  ])('%j for branch %i', (said, index) =>
    expect(classifier.decide(said)).toMatchObject({ branch: index, isSure: true }),
  );

  test.each(['what is the weather like', 'do you sell umbrellas', '', '???', 'how long do results take'])(
    'nothing for sure of %j',
    (said) => expect(classifier.decide(said)?.isSure ?? false).toBe(false),
  );

  test('in any script', () => {
    const japanese = trainClassifier([
      branch('薬', ['薬が欲しいです', '薬をもらえますか']),
      branch('予約', ['予約したいです', '予約を変更したい']),
    ]);
    expect(japanese.decide('薬が欲しいのですが')).toMatchObject({ branch: 0 });
    expect(japanese.decide('予約を取りたいです')).toMatchObject({ branch: 1 });
  });

  test('never for a branch that is not offered, which is evidence against the others', () => {
    const decided = classifier.decide('can you renew my prescription', (index) => index !== 0);
    expect(decided).toBeNull();
  });
});

describe('properties', () => {
  test('10,000 decisions are the same again, and by a classifier that learned the same', () => {
    const again = trainClassifier(branches);
    let seed = 1;
    for (let run = 0; run < 10_000; run++) {
      const said = [1, 2, 3, 4]
        .map(() => words[(seed = (seed * 48_271) % 2_147_483_647) % words.length])
        .join(' ');
      expect(again.decide(said)).toEqual(classifier.decide(said));
    }
  });

  test('the order of examples and branches does not matter', () => {
    const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3 });
    const reversed = branches.map((one) => ({ ...one, examples: [...one.examples].reverse() }));
    fc.assert(
      fc.property(utterances, order, (said, places) => {
        const moved = trainClassifier(places.map((place) => reversed[place]!)).decide(said);
        const {
          branch: index,
          runnerUp: _,
          ...decided
        } = classifier.decide(said) ?? { branch: -1, runnerUp: null };
        if (index === -1) expect(moved).toBeNull();
        else expect(moved).toMatchObject({ ...decided, branch: places.indexOf(index) });
      }),
      { numRuns: 300 },
    );
  });

  test('an example is never read as another branch', () => {
    fc.assert(
      fc.property(utterances, fc.nat({ max: 2 }), (said, place) => {
        const taught = branches.map((one, at) =>
          at === place ? { ...one, examples: [...one.examples, said] } : one,
        );
        const decided = trainClassifier(taught).decide(said);
        expect(decided?.isSure === true ? decided.branch : place).toBe(place);
      }),
      { numRuns: 300 },
    );
  });

  test('adding an example leaves one out at most once each', () => {
    const left = [...classifier.leaveOneOut()];
    expect(left.map(({ example }) => example).sort()).toEqual(
      branches.flatMap(({ examples }) => examples).sort(),
    );
  });
});

test('the largest usual branch takes at most 300 KB', () => {
  const many = Array.from({ length: 20 }, (_, at) =>
    branch(
      `topic ${at}`,
      Array.from({ length: 20 }, (__, n) => `caller ${at * 20 + n} asks for thing ${n * 7} of ${at}`),
    ),
  );
  expect(trainClassifier(many).bytes).toBeLessThanOrEqual(300 * 1024);
});
