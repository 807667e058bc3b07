// Formats findings as JUnit XML.
import type { Finding } from './local.ts';

export function toJunit(findings: readonly Finding[]): string {
  const flows = [...new Set(findings.map(({ flowId }) => flowId))];
  const suites = flows.map((flowId) => {
    const cases = findings.filter((finding) => finding.flowId === flowId);
    return [`  <testsuite ${formatCounts(flowId, cases)}>`, ...cases.flatMap(toTestCase), '  </testsuite>'];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${formatCounts('parley', findings)}>`,
    ...suites.flat(),
    '</testsuites>',
    '',
  ].join('\n');
}

function toTestCase({ flowId, file, name, errors }: Finding): string[] {
  const head = `    <testcase classname="${escapeXml(flowId)}" name="${escapeXml(name)}" file="${escapeXml(file)}"`;
  if (errors.length === 0) return [`${head}/>`];
  const failure = `<failure message="${escapeXml(errors[0]!)}">${escapeXml(errors.join('\n'))}</failure>`;
  return [`${head}>`, `      ${failure}`, '    </testcase>'];
}

function formatCounts(name: string, findings: readonly Finding[]): string {
  const failures = findings.filter(({ errors }) => errors.length > 0).length;
  return `name="${escapeXml(name)}" tests="${findings.length}" failures="${failures}"`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Also removes characters that XML 1.0 forbids. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"]/g, (one) => ENTITIES[one]!);
}
