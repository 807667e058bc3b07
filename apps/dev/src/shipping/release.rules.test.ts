import { expect, test } from '@jest/globals';
import { notesOf, releaseProblems } from './release.rules.ts';

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- c\n\n## 0.2.0 (2026-11-01)\n\n- b\n\n## 0.1.0\n\n- a\n';
const files = { version: '0.2.0', changelog: CHANGELOG, versions: { 'a.toml': '0.2.0' } };

test('notes are the chapter of the version', () => {
  expect(notesOf(CHANGELOG, '0.2.0')).toBe('## 0.2.0 (2026-11-01)\n\n- b\n\n');
  expect(notesOf(CHANGELOG, '0.2')).toBeNull();
});

test('a tag needs a chapter of its own, a rehearsal also takes what is unreleased', () => {
  expect(releaseProblems(files, true)).toEqual([]);
  const next = { ...files, version: '0.3.0', versions: { 'a.toml': '0.3.0' } };
  expect(releaseProblems(next, false)).toEqual([]);
  expect(releaseProblems(next, true)).toEqual([
    'CHANGELOG.md has no chapter "## 0.3.0". Move "Unreleased" there.',
  ]);
});

test('every file that says a version says the same one', () => {
  const versions = { 'a.toml': '0.1.0', 'Chart.yaml': undefined };
  expect(releaseProblems({ ...files, versions }, true)).toEqual([
    'a.toml says 0.1.0, and package.json 0.2.0.',
    'Chart.yaml says no version, and package.json 0.2.0.',
  ]);
});
