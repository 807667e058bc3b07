// `npm run coverage -- answers <folder>`: how many utterances of each .jsonl file casts read
// rightly, refuse and read wrongly, by language and cast. `--rows` prints each that is not right.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  judge,
  parseUtterances,
  readUtterance,
  type Judgement,
  type Utterance,
} from '@parley/answers/utterances';

interface Judged {
  readonly row: Utterance;
  readonly value: unknown;
  readonly judgement: Judgement;
}

/** Prints every .jsonl file of a folder, or one file. */
export function printAnswers(asked: readonly string[]): void {
  const paths = asked.filter((one) => one !== '--rows');
  for (const path of paths) {
    const names = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
    for (const file of names.filter((name) => name.endsWith('.jsonl')).sort())
      printFile(file, paths.length < asked.length);
  }
}

function printFile(file: string, printsRows: boolean): void {
  const judged = parseUtterances(readFileSync(file, 'utf8')).map((row) => {
    const value = readUtterance(row);
    return { row, value, judgement: judge(row, value) };
  });
  console.log(`${file}: ${countsOf(judged)}`);
  const groupOf = ({ row: { lang, node } }: Judged) => `${lang} ${node.cast}`;
  for (const group of [...new Set(judged.map(groupOf))].sort())
    console.log(`  ${group}: ${countsOf(judged.filter((one) => groupOf(one) === group))}`);
  if (printsRows) for (const one of judged) if (one.judgement !== 'right') console.log(`  ${describe(one)}`);
}

function countsOf(judged: readonly Judged[]): string {
  const count = (wanted: Judgement) => judged.filter(({ judgement }) => judgement === wanted).length;
  return `${count('right')} right, ${count('refused')} refused, ${count('wrong')} wrong of ${judged.length}`;
}

const describe = ({ row: { lang, node, text, expect }, value, judgement }: Judged): string =>
  `${judgement}: ${lang} ${node.cast} ${JSON.stringify(text)} is ${JSON.stringify(value)}, not ${JSON.stringify(expect)}`;
