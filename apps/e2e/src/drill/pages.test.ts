// Every drill follows a page of docs/recovery.md, and every page has a drill.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { DRILLS } from './drills.ts';
import { followPage, parsePages } from './pages.ts';

const pages = parsePages(readFileSync(new URL('../../../../docs/recovery.md', import.meta.url), 'utf8'));

test('drills and pages are the same, in the same order', () => {
  expect(pages.map(({ title }) => title)).toEqual(DRILLS.map(({ title }) => title));
});

test('a page names its drill, and shows every command that the drill runs', () => {
  const program = readFileSync(new URL('drills.ts', import.meta.url), 'utf8');
  for (const { name, title } of DRILLS) {
    const page = pages.find((one) => one.title === title)!;
    expect(page.text).toContain(`\`${name}\``);
    expect(page.commands.length).toBeGreaterThan(0);
  }
  // What repairs is on the pages: drills.ts only breaks.
  expect(program).not.toMatch(/pg_restore|pg_dump|\bpromote\b|createdb|handover|pg_basebackup/);
});

test('commands run word for word, and none is left out', async () => {
  const said: string[] = [];
  const page = { title: 'A page', text: '', commands: ['test "$GIVEN" = x', 'exit 3'] };
  const follower = followPage({
    page,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    user: undefined,
    say: (line) => void said.push(line),
  });
  await follower.next({ GIVEN: 'x' });
  expect(() => follower.finish()).toThrow('"A page" has commands that no drill runs');
  await expect(follower.next()).rejects.toThrow('status 3 of\nexit 3');
  follower.finish();
  expect(said).toEqual(['    $ test "$GIVEN" = x', '    $ exit 3']);
  await expect(follower.next()).rejects.toThrow('"A page" has only 2 blocks of commands');
});
