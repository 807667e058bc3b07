// Search documents: built when conversations are final, changed with late turns, erased with their
// conversation; found before and after (docs/voice-api.md#search).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildDocuments } from '../../src/conversations/search-documents.ts';
import { settleDue } from '../../src/conversations/settle-due.ts';
import { event, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
});
afterAll(() => service.stop());

const LATER_MS = 60_000;
async function settleAll(): Promise<void> {
  while ((await settleDue({ ...service.deps, clock: () => Date.now() + LATER_MS })) > 0);
}
async function buildAll(): Promise<void> {
  while ((await buildDocuments(service.deps)) > 0);
}

const turn = (id: string, index: number, text: string) =>
  event(index % 2 === 0 ? 'speech.final' : 'bot.message', id, index, { turn_index: index, text });
const conversation = (id: string, texts: readonly string[]) => [
  event('conversation.started', id, 0, {}),
  ...texts.map((text, index) => turn(id, index, text)),
];
const end = (id: string) => event('conversation.ended', id, 60, { end_reason: 'user_hangup' });

interface Item {
  id: string;
  found: { index: number; text: string; marks: [number, number][] }[];
}
interface Page {
  items: Item[];
  next_cursor: string | null;
  total?: number;
  partial?: true;
}

async function search(q: string, more = ''): Promise<Page> {
  const answer = await service.api.get(`/v1/conversations?q=${encodeURIComponent(q)}${more}`).expect(200);
  return (answer.body as { data: Page }).data;
}
const marked = ({ items }: Page) =>
  items.flatMap(({ id, found }) =>
    found.map(({ index, text, marks }) => [
      id,
      index,
      ...marks.map(([from, until]) => text.slice(from, until)),
    ]),
  );
const readDocuments = (id: string) =>
  service.deps.sql<{ words: string }>('SELECT words FROM search_documents WHERE conversation_id = $1', [id]);

test('a conversation is found while it runs, when it is final, and after a late turn', async () => {
  const states = [
    () => send(service, conversation('one', ['Ich wohne in der Hauptstraße', 'Danke', 'call 555 123 4567'])),
    () => send(service, [end('one')]).then(settleAll),
    () => buildAll(),
  ];
  for (const reach of states) {
    await reach();
    expect(marked(await search('hauptstrasse'))).toEqual([['one', 0, 'Hauptstraße']]);
    expect(marked(await search('5551234567'))).toEqual([['one', 2, '555 123 4567']]);
    expect(marked(await search('tstr danke'))).toEqual([]); // words of one utterance
    expect(await search('danke', '&total=true')).toMatchObject({ total: 1, next_cursor: null });
  }
  const [{ words }] = (await readDocuments('one')) as [{ words: string }];
  expect(words.split('\n')).toHaveLength(3);

  await send(service, [turn('one', 3, 'Zu spät')]);
  expect(marked(await search('spat'))).toEqual([['one', 3, 'spät']]);
  await settleAll();
  await buildAll();
  expect(marked(await search('spat'))).toEqual([['one', 3, 'spät']]);
  expect(await readDocuments('one')).toHaveLength(1);
});

test('nothing is left of an erased conversation', async () => {
  await send(service, [...conversation('gone', ['unforgettable']), end('gone')]);
  await settleAll();
  await buildAll();
  expect(await readDocuments('gone')).toHaveLength(1);
  await service.api.delete('/v1/conversations/gone').expect(200);
  expect(await readDocuments('gone')).toEqual([]);
  expect((await search('unforgettable')).items).toEqual([]);
  await buildAll();
  expect(await readDocuments('gone')).toEqual([]);
});

test('q=latte finds all 52 of 52, however it is written', async () => {
  const spellings = [
    'latte',
    'two lattes',
    'LATTE!',
    'oat-latte',
    'Caffèlatte',
    'the latte’s',
    'ｌａｔｔｅ',
    '"latte"',
    'x_latte_y@x.org',
    'láttè',
  ];
  for (let n = 0; n < 52; n += 1) {
    const id = `latte-${n}`;
    await send(service, [
      ...conversation(id, ['Hello', `I take ${spellings[n % spellings.length]} please`]),
      end(id),
    ]);
    await send(service, conversation(`tea-${n}`, ['Hello', 'I take late tea']));
  }
  await settleAll();
  for (const reach of [() => undefined, () => buildAll()]) {
    await reach();
    const ids: string[] = [];
    let cursor = '';
    do {
      const page = await search('latte', `&limit=20&total=true${cursor}`);
      expect(page.total).toBe(52);
      for (const { id, found } of page.items) {
        expect(found.map(({ index, marks }) => [index, marks.length])).toEqual([[1, 1]]);
        ids.push(id);
      }
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(new Set(ids).size).toBe(52);
    expect(ids).toHaveLength(52);
  }
});

test('utterances with whole words are shown before others, and other organisations see nothing', async () => {
  await send(service, [
    ...conversation('ranked', ['partying', 'a compartment', 'departure', 'this part']),
    end('ranked'),
  ]);
  await settleAll();
  await buildAll();
  expect(marked(await search('part'))).toEqual([
    ['ranked', 0, 'part'],
    ['ranked', 1, 'part'],
    ['ranked', 3, 'part'],
  ]);
  const other = service.as(await service.issueKey('globex'));
  const answer = await other.get('/v1/conversations?q=part').expect(200);
  expect((answer.body as { data: Page }).data.items).toEqual([]);
});
