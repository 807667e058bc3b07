// German.
import { counted, either, splitInto, tensAndUnits } from '../spell.ts';
import type { Lexicon } from '../language.ts';

const units = 'ein zwei drei vier funf sechs sieben acht neun';
const tens = 'zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig';
const teens = 'zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn';
const small = [
  ...counted('eins zwei drei vier funf sechs sieben acht neun', 1),
  ['null', 0] as const,
  ['ein', 1] as const,
  ['eine', 1] as const,
  ['zwo', 2] as const,
  ...counted(teens, 10),
  ...tensAndUnits(tens, units, (ten, unit) => [`${unit}und${ten}`, `${unit} und ${ten}`]),
];
const endings = ['te', 'ten', 'ter'];
const irregular = ['erste', 'zweite', 'dritte', 'vierte', 'funfte', 'sechste', 'siebte', 'achte', 'neunte'];

const weekdays = 'montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag'.split(' ');
const partsOfDay = 'fruh morgen vormittag mittag nachmittag abend nacht'.split(' ');
/** In one word with a weekday, "morgen" is the morning and no tomorrow. */
const compoundNames: Readonly<Record<string, string>> = { morgen: 'fruh', nacht: 'nachts' };
const splitWeekday = splitInto([...weekdays, ...partsOfDay], /tag.|woch./);

export const de: Lexicon = {
  numbers: {
    small,
    hundred: 'hundert',
    bareScale: true,
    scales: [
      ['tausend', 1e3],
      ['million; millionen', 1e6],
      ['milliarde; milliarden', 1e9],
      ['billion; billionen', 1e12],
    ],
    and: 'und',
    minus: 'minus',
    point: 'komma; punkt',
    groupedDecimals: true,
    one: 'einem; einer',
    ordinals: [
      ...irregular.flatMap((word, index) => ['', 'n', 'r'].map((end) => [word + end, index + 1] as const)),
      ...small
        .filter(([word, value]) => value >= 10 && value < 32 && !word.includes(' '))
        .flatMap(([word, value]) =>
          endings.map((end) => [`${word}${value < 20 ? '' : 's'}${end}`, value] as const),
        ),
      // A recogniser writes two words: "vier und zwanzigster".
      ...small
        .filter(([word, value]) => value > 20 && value < 32 && word.includes(' '))
        .flatMap(([word, value]) => endings.map((end) => [`${word}s${end}`, value] as const)),
    ],
    ordinalSuffixes: 'te; ten; ter',
    split: either(
      splitInto([...small.map(([word]) => word), 'hundert', 'tausend', 'und'], /hundert|tausend/),
      (word) => splitWeekday(word)?.map((part) => compoundNames[part] ?? part) ?? null,
    ),
  },
  fillers:
    'bitte; danke; vielen dank; ja bitte; ja; ok; okay; gut; gerne; gern; also; ah; ahm; hm; hallo; (das|es) (ist|ware|sind|waren); ich (mochte|hatte gern|hatte gerne|will|nehme|brauche|wahle|meine|denke|glaube); wir (mochten|hatten gern|hatten gerne|wollen|nehmen|brauchen); sagen wir; geben sie mir; die antwort ist; eigentlich',
  numberFillers:
    'ich bin; wir sind; es sind; er ist; sie ist; ich habe; wir haben; mein alter ist; die zahl; nummer; insgesamt; zu; genau; nur',
  corrections:
    'nein ,; nein [,] (ich|wir) (sagte|sagten|meinte|meinten|meine); (ich|wir) (sagte|sagten|meinte|meinten); (ich habe|wir haben); gesagt; gemeint; entschuldigung',
  groups: [
    ['zu zweit; zu zweien', 2],
    ['zu dritt; zu dreien', 3],
    ['zu viert; zu vieren', 4],
    ['zu funft', 5],
    ['zu sechst', 6],
    ['zu siebt', 7],
    ['zu acht', 8],
    ['zu neunt', 9],
    ['zu zehnt', 10],
    ['zu zwolft', 12],
  ],
  idiomDays: [8, 15],
  ages: '{n} (jahre|jahr) alt',
  choiceFillers: 'der; die; das; den; dem; ein; eine; einen; nur; option',
  momentGlue: 'am; um; der; den; dem; im; fur; des; an',
  momentFillers:
    '(mein geburtstag|mein geburtsdatum|der termin|mein termin) ist [am]; geboren [am]; ich bin; ich wurde; ich kann; wir konnen; (passt|geht|ware gut) [mir|uns]; gut; genau; punkt; datum; uhrzeit',
  yes: 'ja; jawohl; jo; jep; genau; richtig; stimmt; korrekt; wahr; ok; okay; klar; naturlich; gerne; gern; sicher; selbstverstandlich; auf jeden fall; einverstanden; na klar; absolut; doch; 1; true; ja bitte; ja gerne; ja genau; (das|es) (ist richtig|stimmt|ist korrekt|passt); (ja das) (ist richtig|stimmt|ist korrekt|passt); passt; bestatigt; ja (ist es|bin ich|habe ich|mochte ich|will ich)',
  no: 'nein; ne; nee; no; nicht wirklich; eher nicht; falsch; nein danke; auf keinen fall; niemals; keineswegs; naturlich nicht; uberhaupt nicht; nicht richtig; 0; false; (das|es) (ist falsch|stimmt nicht|ist nicht richtig|passt nicht); stimmt nicht; nein (das|es) (ist falsch|stimmt nicht|ist nicht richtig); ich (will|mochte|glaube|denke) (nicht|das nicht); lieber nicht; nein (ist es nicht|bin ich nicht|habe ich nicht)',
  eitherWay:
    '(allen|uns|mir) geht es gut; (es geht) (allen|uns|mir) gut; alles (gut|in ordnung|ok|okay); das ist alles; das war es; das wars; niemand ist verletzt',
  negations: 'nicht; kein; keine; keinen; nie; niemals; weder; ausser; ohne; statt; anstatt',
  streets: /(?:strasse|str|weg|platz|allee|gasse|damm|ufer)$/,
  and: 'und',
  names: {
    months: [
      ...[
        'januar; janner; jan',
        'februar; feb',
        'marz; maerz; mar; mrz',
        'april; apr',
        'mai',
        'juni; juno; jun',
      ],
      ...[
        'juli; julei; jul',
        'august; aug',
        'september; sept; sep',
        'oktober; okt',
        'november; nov',
        'dezember; dez',
      ],
    ],
    weekdays: [
      ...['montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag'],
      ...['samstag; sonnabend', 'sonntag'],
    ],
    units: [
      ...['sekunde; sekunden', 'minute; minuten; min', 'stunde; stunden; std', 'tag; tage; tagen'],
      ...['woche; wochen', 'monat; monate; monaten', 'jahr; jahre; jahren'],
    ],
    parts: [
      ...['', '', 'morgens; vormittags; am morgen; am vormittag; fruh; vormittag; in der fruh'],
      ...[
        'nachmittags; mittags; am nachmittag; nachmittag',
        'abends; am abend; abend',
        'nachts; in der nacht',
      ],
    ],
    quarter: 'viertel',
    half: '',
    threeQuarters: '',
    oh: 'null',
  },
  moments: {
    today: 'heute',
    tomorrow: 'morgen',
    yesterday: 'gestern',
    overmorrow: 'ubermorgen; uebermorgen',
    ereyesterday: 'vorgestern',
    now: 'jetzt',
    thisMorning: 'heute (morgen|fruh|vormittag)',
    thisAfternoon: 'heute nachmittag',
    tonight: 'heute abend',
    weekday: '[am] {weekday}; [am] kommenden {weekday}',
    thisWeekday: '(diesen|diesem|dieser) {weekday}; {weekday} diese woche; {weekday} dieser woche',
    nextWeekday: '{weekday} (nachste|nachster) woche; nachste woche {weekday}',
    eitherWeekday: '(nachsten|nachster|nachstem) {weekday}',
    lastWeekday: '(letzten|letzter|letztem|vergangenen|vorigen) {weekday}',
    dayMonth:
      '[am|der|den|vom] {ordinal} {mo} [{year}]; [am|der|den|vom] {d} {month} [,] [{year}]; [am|der|den] {d} [.] {month} [{year}]',
    dayOnly: '(am|der|den|zum) ({ordinal}|{dd}); am {d}; {ordinal}',
    dayThisMonth: '[am|der|den|zum] {d} (dieses|diesen|des laufenden) monats; diesen monat am {d}',
    dayNextMonth:
      '[am|der|den|zum] {d} (des|vom) (nachsten|kommenden) monats; [am|der|den|zum] {d} (nachsten|kommenden) (monats|monat); nachsten monat am {d}',
    dayLastMonth:
      '[am|der|den|vom] {d} (des|vom) (letzten|vorigen|vergangenen) monats; [am|der|den|vom] {d} (letzten|vorigen|vergangenen) (monats|monat); letzten monat am {d}',
    lastNight: '(letzte|vergangene|gestern) nacht; gestern abend; in der (letzten|vergangenen) nacht',
    weekdayLastWeek:
      '{weekday} (letzter|letzte|voriger|vorige|vergangener|vergangene) woche; {weekday} in der (letzten|vorigen|vergangenen) woche; (letzte|vorige|vergangene) woche [am] {weekday}',
    unitsFromTomorrow: 'morgen in {n} {unit}',
    vague:
      '(nachste|diese|letzte) woche; (nachsten|diesen|letzten|nachster|dieser|letzter) monat; (nachstes|dieses|letztes) jahr; [im] {month} [{year}]; [am] wochenende',
    inUnits: '[heute] in {n} {unit}; [heute] (uber|in) {n} {unit}',
    inTwoUnits: 'in {n} {unit} und {n} {unit}',
    inHalfHour: 'in einer halben stunde',
    unitsAgo: '[heute] vor {n} {unit}',
    noon: 'mittag; mittags',
    midnight: 'mitternacht; um mitternacht',
    hour: '[um] {h} uhr [{part}]; um {h} [{part}]',
    hourPart: '{h} {part}',
    hourMinute: '[um] {h} uhr {mm} [{part}]; um {h} {mm}',
    hourPast: '[um] {h} uhr [und] {m} [minuten] [{part}]',
    pastNoon: '{m} [minuten] nach (mittag|zwolf uhr mittags)',
    pastMidnight: '{m} [minuten] nach mitternacht',
    toNoon: '{m} [minuten] vor mittag',
    toMidnight: '{m} [minuten] vor mitternacht',
    quarterBefore: '[um] (dreiviertel|drei viertel) {h} [{part}]',
    dotted: '[um] {dotted} uhr [{part}]; um {dotted} [uhr]; {dotted} {part}',
    past: '[um] {m} [minuten|minute] nach {h} [uhr] [{part}]',
    to: '[um] {m} [minuten|minute] vor {h} [uhr] [{part}]',
    halfTo: '[um] halb {h} [{part}]',
    pastHalf: '[um] {m} [minuten] nach halb {h} [{part}]',
    toHalf: '[um] {m} [minuten] vor halb {h} [{part}]',
    or: 'oder',
    range: 'bis; zwischen; von; -; und',
  },
};
