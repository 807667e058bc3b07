// What a search finds in an utterance, over texts of eighteen languages (docs/voice-api.md#search).
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildDocument, foldLine, hasDense, splitWords } from './document.rules.ts';
import { foldMapped, foldText } from './fold.rules.ts';
import { cutExcerpt } from './marks.rules.ts';
import { matchesUtterance, parseSearch } from './query.rules.ts';

const TEXTS: Readonly<Record<string, string>> = {
  English: `Hi, it's Jane O'Connor (jane.oconnor+home@x.org). My order AB-1042 of 2026-01-15 cost $1,234.50; call 555 123 4567.`,
  German:
    'Die Haftpflichtversicherungsgesellschaft in der Straße „Am Großen Öltank“ zahlt für Müllers Überschwemmung nicht.',
  French: `L'été dernier, Zoë a commandé une crème brûlée au café près de l’hôtel où naïveté et cœur s'accordent.`,
  Spanish: '¿Dónde está el señor Núñez? Mañana viajará a Logroño con su pingüino y ocho niños pequeños.',
  Portuguese:
    'A reclamação do João não foi respondida: são três ligações à central de Florianópolis até amanhã.',
  Turkish:
    'İstanbul’daki ışıklı ILICA otelinde oda ayırttım; Diyarbakır’a gidiş için üçüncü şubeyi arıyorum.',
  Polish: 'Zażółć gęślą jaźń, proszę odwołać wizytę w Łodzi i przełożyć ją na środę po południu.',
  Vietnamese:
    'Tôi muốn đổi chuyến bay từ Đà Nẵng đến Thành phố Hồ Chí Minh vào thứ Hai tuần tới, được không?',
  Russian:
    'Здравствуйте, ещё раз: отмените, пожалуйста, бронирование на имя Алексей Воробьёв, подъезд третий.',
  Greek:
    'Καλημέρα σας, θέλω να ακυρώσω την κράτηση στο ξενοδοχείο της Θεσσαλονίκης για αύριο το πρωί, ΟΔΟΣ Αγίου Δημητρίου.',
  Arabic: 'مَرْحَبًا، أُرِيدُ إلغاء الحجز رقم ٤٥٦٧ في فندق القاهرة الكبرى، وشكـــرا جزيلا على المساعدة.',
  Persian: 'سلام، می‌خواهم رزرو هتل اصفهان را برای فردا لغو کنم؛ شمارهٔ من ۰۹۱۲ ۳۴۵ ۶۷۸۹ است.',
  Hebrew: 'שָׁלוֹם, אני רוצה לבטל את ההזמנה בירושלים על שם כהן, מספר ההזמנה הוא שבע־שמונה.',
  Hindi: 'नमस्ते, मैं कल की बुकिंग रद्द करना चाहता हूँ; मेरा ऑर्डर नंबर १०४२ है और पता ज़ाकिर नगर, दिल्ली है।',
  Tamil: 'வணக்கம், நாளைய முன்பதிவை ரத்து செய்ய விரும்புகிறேன்; சென்னையில் உள்ள விடுதியின் பெயர் தாமரை.',
  Thai: 'สวัสดีครับผมต้องการยกเลิกการจองโรงแรมที่เชียงใหม่สำหรับวันพรุ่งนี้ ขอบคุณครับ',
  Japanese: 'こんにちは、明日のホテルの予約をキャンセルしたいのですが、ﾃﾞﾊﾟｰﾄの前のﾎﾃﾙです。𠮷野家の隣。',
  Korean: '안녕하세요, 내일 호텔 예약을 취소하고 싶습니다. 예약번호는 서울특별시에서 받은 번호입니다.',
  Chinese: '您好，我想预订明天从北京到上海的高铁票，另外取消昨天的酒店订单，谢谢您的帮助。',
};

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const toGraphemes = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);
const PART_MAX = 12;

/** Parts of three characters and more, of two in Chinese, Japanese and Korean. */
function* listParts(text: string): Generator<string> {
  for (const word of text.split(/\s+/)) {
    const characters = toGraphemes(word);
    for (let from = 0; from < characters.length; from += 1)
      for (let until = from + 2; until <= Math.min(characters.length, from + PART_MAX); until += 1) {
        const part = characters.slice(from, until).join('');
        const core = splitWords(foldText(part)).join('');
        const { length } = toGraphemes(core);
        const isLong = length >= 3 || (length === 2 && [...core].every(hasDense));
        if (isLong && !/^-|["“„]/.test(part)) yield part;
      }
  }
}

describe.each(Object.entries(TEXTS))('%s', (_, text) => {
  const document = buildDocument('acme', [text]);
  const grams = new Set(document.grams);

  test.each(['as written', 'in upper case', 'decomposed'])('every part of a word finds it, %s', (form) => {
    const change = (part: string) =>
      form === 'in upper case'
        ? part.toLocaleUpperCase('en')
        : form === 'decomposed'
          ? part.normalize('NFD')
          : part;
    const missed = new Set<string>();
    for (const part of listParts(text)) {
      const search = parseSearch('acme', change(part));
      const isFound = matchesUtterance(search, text) && search.groups.every(({ terms }) => terms.length > 1);
      if (!isFound || !search.groups[0]!.terms.every((term) => grams.has(term))) missed.add(part);
    }
    expect([...missed]).toEqual([]);
  });

  test('the fold is the same character by character', () => {
    expect(foldMapped(text).folded).toBe(foldText(text));
  });
});

test('the fold is the same character by character, for any text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...Object.values(TEXTS).flatMap(toGraphemes)), { maxLength: 60 }),
      (characters) => {
        const text = characters.join('');
        expect(foldMapped(text).folded).toBe(foldText(text));
      },
    ),
  );
});

test.each([
  ['我想预订一间房', '预订'],
  ['ﾎﾃﾙを予約', 'ホテル'],
  ['호텔 예약을', '예약'],
  ['أريد الحجز الآن', 'حجز'],
  ['Haftpflichtgesellschaft', 'Gesellschaft'],
  ['in der Straße', 'strasse'],
  ['STRASSE', 'straße'],
  ['un café noir', 'cafe'],
  ['İstanbul', 'istanbul'],
  ['ISTANBUL', 'İstanbul'],
  ['IŞIK', 'ışık'],
  ['order AB-1042', '1042'],
  ['mail jane@x.org', 'jane'],
  ['mail jane@x.org', 'jane@x.org'],
  ['call 555 123 4567', '5551234567'],
  ['call (555) 123-4567', '555-123-4567'],
  ['call 5551234567', '555-123-4567'],
  ['رقم ٤٥٦٧', '4567'],
  ['two lattes', 'latte'],
  ['we talk of half', '"of half"'],
  ['we talk, of half', '"talk of"'],
  ['tea', 'coffee or tea'],
  ['a cat', 'a'],
  ['tea', '-coffee'],
])('"%s" has %s', (text, q) => {
  expect(matchesUtterance(parseSearch('acme', q), text)).toBe(true);
});

test.each([
  ['proof halfway', '"of half"'],
  ['a cat', 'at'],
  ['tea and coffee', 'tea -coffee'],
  ['tea', 'tea coffee'],
  ['call 555 123', '5551234'],
  ['Straße', 'Strasses'],
])('"%s" lacks %s', (text, q) => {
  expect(matchesUtterance(parseSearch('acme', q), text)).toBe(false);
});

test.each(['', '  ', '""', '-', '…', 'or'])('%j has nothing to search for', (q) => {
  expect(parseSearch('acme', q).groups).toEqual([]);
});

test('a line has words, and numbers in groups of digits once more', () => {
  expect(foldLine('Call (555) 123-4567, please!')).toBe(' call 555 123-4567 please  5551234567 ');
});

const marked = (q: string, text: string) => {
  const excerpt = cutExcerpt(parseSearch('acme', q), text);
  return { text: excerpt.text, marks: excerpt.marks.map(([from, until]) => excerpt.text.slice(from, until)) };
};

test.each([
  ['strasse', 'In der Straße, große Straße', ['Straße', 'Straße']],
  ['cafe', 'un cafe\u0301 noir', ['cafe\u0301']],
  ['ホテル', 'のﾎﾃﾙです', ['ﾎﾃﾙ']],
  ['5551234567', 'call (555) 123-4567 now', ['555) 123-4567']],
  ['"of half"', 'talk, of half; half', ['of half']],
  ['tea or coffee', 'coffee, tea, cocoa', ['coffee', 'tea']],
  ['tea -cocoa', 'a tea', ['tea']],
  ['latte lat', 'latte', ['latte']],
  ['x*(', 'a x*( b', ['x']],
  ['table', 'a  table  of', ['table']],
])('%s is marked in "%s"', (q, text, marks) => {
  expect(marked(q, text)).toEqual({ text, marks });
});

test('an excerpt has no markup', () => {
  expect(marked('table', 'a <b class="x">table</b>, 1 < 2')).toEqual({
    text: 'a  table , 1 < 2',
    marks: ['table'],
  });
});

test('an excerpt of a long utterance begins before the first match, and keeps characters whole', () => {
  const { text, marks } = marked('needle', `${'word '.repeat(300)}needle ${'𠮷'.repeat(400)}`);
  expect(marks).toEqual(['needle']);
  expect(text.length).toBeLessThanOrEqual(240);
  expect(text.startsWith('word')).toBe(true);
  expect(Buffer.from(text).toString()).toBe(text);
});

test('long runs without blanks or letters are folded and searched in linear time', () => {
  const started = performance.now();
  for (const part of ['-', '1', '1 ', 'a-', 'é', ' - '])
    expect(matchesUtterance(parseSearch('acme', 'nothing'), part.repeat(20_000))).toBe(false);
  expect(performance.now() - started).toBeLessThan(2_000);
});
