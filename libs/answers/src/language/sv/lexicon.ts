// Swedish.
import { counted, either, splitInto, tensAndUnits } from '../spell.ts';
import type { Lexicon } from '../language.ts';

const digits = 'ett tva tre fyra fem sex sju atta nio';
const teens = 'tio elva tolv tretton fjorton femton sexton sjutton arton nitton';
const tens = 'tjugo trettio fyrtio femtio sextio sjuttio attio nittio';
/** As most people say them. */
const spokenTens = 'tjugi tretti forti femti sexti sjutti atti nitti';
const join = (ten: string, unit: string) => [`${ten}${unit}`, `${ten} ${unit}`];
const small = [
  ...counted(`noll ${digits} ${teens}`),
  ['en', 1] as const,
  ['tie', 10] as const,
  ['aderton', 18] as const,
  ...[tens, spokenTens].flatMap((words) => [
    ...tensAndUnits(words, digits, join),
    ...tensAndUnits(words, 'en', join),
  ]),
];
const irregular = 'forsta andra tredje fjarde femte sjatte sjunde attonde nionde tionde elfte tolfte';
const firsts = [
  ...counted(irregular, 1),
  ...counted('forste andre', 1),
  ...counted('trettonde fjortonde femtonde sextonde sjuttonde artonde nittonde tjugonde', 13),
];

/** "Fredags" is a past one in "i fredags"; in "fredagskväll" the s only joins. */
const dayWord = /^((?:man|tis|ons|tors|fre|lor|son)dag)(?:(s)|s?(morgon|formiddag|eftermiddag|kvall))$/;
const splitNumber = splitInto(
  [...small.map(([word]) => word).filter((word) => word.length > 1), 'hundra', 'tusen', 'och', 'et'],
  // "Nollsju", and years in pairs: "tjugotjugosex".
  /hundra|tusen|^(?:noll|nitton|tjugo)./,
);

export const sv: Lexicon = {
  numbers: {
    small,
    hundred: 'hundra',
    bareScale: true,
    scales: [
      ['tusen', 1e3],
      ['miljon; miljoner', 1e6],
      ['miljard; miljarder', 1e9],
      ['biljon; biljoner', 1e12],
    ],
    and: 'och',
    minus: 'minus',
    point: 'komma; punkt',
    groupedDecimals: true,
    one: '',
    ordinals: [
      ...firsts,
      ...['trettionde', 'trettiende'].map((word) => [word, 30] as const),
      ...firsts
        .filter(([, value]) => value < 10)
        .flatMap(([word, value]) => join('tjugo', word).map((spelled) => [spelled, 20 + value] as const)),
      ...join('trettio', 'forsta').map((word) => [word, 31] as const),
    ],
    ordinalSuffixes: 'e; a; :e; :a',
    split: either(
      // "Ettusen" is written with two t.
      (word) => splitNumber(word)?.map((part) => (part === 'et' ? 'ett' : part)) ?? null,
      (word) => dayWord.exec(word)?.slice(1).filter(Boolean) ?? null,
    ),
  },
  fillers:
    'tack; ja tack; tack sa mycket; ja; ok; okay; okej; bra; garna; snalla; alltsa; da; eh; ehm; oh; hm; hej; hejsan; (det|den) (ar|blir|var|vore|hande|skedde); jag (vill|vill ha|skulle vilja|skulle vilja ha|tar|behover|valjer|menar|onskar); vi (vill|vill ha|skulle vilja|skulle vilja ha|tar|behover|onskar); kan (jag|vi) fa; (ge mig|lat oss saga|vi sager); svaret ar; mitt svar ar; egentligen',
  numberFillers:
    'jag ar; vi ar; vi blir; det blir; det finns; jag har; vi har; min alder ar; numret ar; nummer; totalt; sammanlagt; allt som allt; for; bara; endast; precis; exakt; stycken; st',
  corrections:
    'nej ,; nej [,] (jag|vi) (sa|menade|menar); (jag|vi) (sa|menade|menar); (jag har|vi har) sagt; forlat; ursakta',
  groups: [],
  idiomDays: [8],
  ages: '{n} ar (gammal|gamla); jag ar {n} ar',
  choiceFillers: 'den; det; en; ett; alternativ; bara; i',
  momentGlue: 'pa; den; i; kl; klockan; for',
  momentFillers:
    '(min fodelsedag|mitt fodelsedatum|mitt mote|min tid|motet|tiden) ar [den|pa|klockan]; fodd [den]; jag (ar|kan|kommer); vi (kan|kommer); (passar|gar|ar|fungerar|funkar) (bra|fint|perfekt) [for (mig|oss)]; (bord|boka|bokning|reservera|reservation|tid) [om] (till|for|pa); precis; datum; tid; (ar|var|blir) (den|pa|klockan)',
  yes: 'ja; jo; japp; jada; javisst; ja visst; jajaman; joda; absolut; precis; stammer; korrekt; ratt; riktigt; visst; sjalvklart; naturligtvis; givetvis; garna; okej; ok; okay; sant; just det; sa klart; saklart; bekraftat; 1; true; ja (tack|garna|absolut|precis|visst|sjalvklart|da); det (stammer|ar (ratt|riktigt|korrekt|sant)); ja det (stammer|ar (ratt|riktigt|korrekt|sant)|ar det|gor (det|jag|vi)|har (jag|vi)|vill (jag|vi)|kan (jag|vi)); jag (haller med|godkanner)',
  no: 'nej; na; nae; nix; nej tack; nej da; inte alls; absolut inte; verkligen inte; sjalvklart inte; naturligtvis inte; aldrig; fel; falskt; inte riktigt; inte nu; inte an; helst inte; 0; false; stammer inte; det (stammer inte|ar (fel|inte (ratt|riktigt|korrekt|sant))); nej det (stammer inte|ar (fel|inte (ratt|riktigt|korrekt|sant))|ar det inte|har (jag|vi) inte|vill (jag|vi) inte); jag (vill|tror) inte',
  eitherWay:
    '(alla|vi|jag) (mar bra|ar oskadda); ingen (ar skadad|skadades|kom till skada); allt ar (bra|okej|ok|i sin ordning); det ar allt; det var allt',
  negations:
    'inte; ej; icke; ingen; inget; inga; aldrig; varken; utan; forutom; utom; i stallet for; istallet for',
  streets: /(?:gata|gatan|vag|vagen|torg|torget|grand|stigen|allen)$/,
  and: 'och',
  names: {
    months: [
      ...['januari; jan', 'februari; feb', 'mars', 'april; apr', 'maj', 'juni; jun', 'juli'],
      ...['augusti; aug', 'september; sept; sep', 'oktober; okt', 'november; nov', 'december; dec'],
    ],
    weekdays: 'mandag tisdag onsdag torsdag fredag lordag sondag'.split(' ').map((day) => `${day}; ${day}en`),
    units: [
      ...['sekund; sekunder', 'minut; minuter; min', 'timme; timmar; timma', 'dag; dagar; dygn'],
      ...['vecka; veckor', 'manad; manader', 'ar'],
    ],
    parts: [
      ...['fm', 'em', '[pa] (morgonen|formiddagen); morgon; bitti; formiddag'],
      ...['[pa] eftermiddagen; eftermiddag', '[pa] kvallen; kvall', '[pa] natten'],
    ],
    quarter: 'kvart',
    half: '',
    threeQuarters: '',
    oh: 'noll',
  },
  moments: {
    today: 'idag; i dag',
    tomorrow: 'imorgon; i morgon; imorron; i morron',
    yesterday: 'igar; i gar',
    overmorrow: '[i] overmorgon; iovermorgon; [i] overmorron',
    ereyesterday: '[i] forrgar; iforrgar',
    now: 'nu',
    thisMorning: 'imorse; i morse; i formiddag; i formiddags',
    thisAfternoon: 'i eftermiddag; i eftermiddags',
    tonight: 'ikvall; i kvall',
    weekday: '[nu] [pa] {weekday}; [pa] (kommande|nastkommande) {weekday}',
    thisWeekday: 'denna {weekday}; [pa] {weekday} (denna vecka|den har veckan|i veckan)',
    nextWeekday: '[pa] {weekday} [i] nasta vecka; nasta vecka [pa] {weekday}',
    eitherWeekday: '[pa] nasta {weekday}',
    lastWeekday: 'i {weekday} s; (forra|senaste) {weekday}',
    weekdayLastWeek: '{weekday} [i] forra veckan; forra veckan [pa] {weekday}; i {weekday} s forra veckan',
    dayMonth:
      '[den] {ordinal} [i] {mo} [{year}]; [den] {d} [i] {month} [,] [{year}]; [den] {d} [.] {month} [{year}]',
    dayOnly: 'den {ordinal}; den {d}; {ordinal}',
    dayThisMonth: '[den] {d} [i] (denna manad|den har manaden)',
    dayNextMonth: '[den] {d} [i] nasta manad; nasta manad den {d}',
    dayLastMonth: '[den] {d} [i] forra manaden; forra manaden den {d}',
    lastNight: 'igar kvall; i gar kvall; igar natt; i gar natt',
    vague:
      '(nasta|denna|i) (vecka|manad|ar|helg); forra (veckan|manaden|aret|helgen); [i] {month} [{year}]; [i|till] helgen; i veckan; i fjol',
    inUnits: 'om {n} {unit}',
    inTwoUnits: 'om {n} {unit} och {n} {unit}',
    inHalfHour: 'om en halvtimme; om en halv timme',
    unitsAgo: '[for] {n} {unit} (sedan|sen)',
    noon: 'mitt pa dagen',
    midnight: 'midnatt; vid midnatt',
    hour: '(klockan|kl) {h} [{part}]; klockan ar {h} [{part}]; {h} prick [{part}]; klockan {h} prick',
    hourPart: '{h} {part}',
    hourMinute: '(klockan|kl) {h} [och] {mm} [{part}]; {h} {mm} {part}',
    dotted: '(klockan|kl) {dotted} [{part}]; {dotted} {part}',
    past: '[klockan|kl] {m} [minuter|minut] over {h} [{part}]',
    to: '[klockan|kl] {m} [minuter|minut] i {h} [{part}]',
    halfTo: '[klockan|kl] halv {h} [{part}]',
    pastHalf: '[klockan|kl] {m} [minuter] over halv {h} [{part}]',
    toHalf: '[klockan|kl] {m} [minuter] i halv {h} [{part}]',
    pastMidnight: '{m} [minuter] over midnatt',
    toMidnight: '{m} [minuter] i midnatt',
    or: 'eller',
    range: 'till; mellan; fran; -; och',
  },
};
