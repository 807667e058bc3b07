// Findings as JUnit XML, which every CI shows.
import type { Finding } from './local.ts';

export function junitOf(findings: readonly Finding[]): string {
  const flows = [...new Set(findings.map(({ flowId }) => flowId))];
  const suites = flows.map((flowId) => {
    const cases = findings.filter((finding) => finding.flowId === flowId);
    return [`  <testsuite ${countsOf(flowId, cases)}>`, ...cases.flatMap(caseOf), '  </testsuite>'];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${countsOf('parley', findings)}>`,
    ...suites.flat(),
    '</testsuites>',
    '',
  ].join('\n');
}

function caseOf({ flowId, file, name, errors }: Finding): string[] {
  const head = `    <testcase classname="${escaped(flowId)}" name="${escaped(name)}" file="${escaped(file)}"`;
  if (errors.length === 0) return [`${head}/>`];
  const failure = `<failure message="${escaped(errors[0]!)}">${escaped(errors.join('\n'))}</failure>`;
  return [`${head}>`, `      ${failure}`, '    </testcase>'];
}

function countsOf(name: string, findings: readonly Finding[]): string {
  const failures = findings.filter(({ errors }) => errors.length > 0).length;
  return `name="${escaped(name)}" tests="${findings.length}" failures="${failures}"`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 cannot have at all are left out. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"]/g, (one) => ENTITIES[one]!);
}
