// Dutch.
import { counted, either, splitInto, tensAndUnits } from '../spell.ts';
import type { Lexicon } from '../language.ts';

const units = 'een twee drie vier vijf zes zeven acht negen';
const small = [
  ...counted(`nul ${units} tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien`),
  ...tensAndUnits('twintig dertig veertig vijftig zestig zeventig tachtig negentig', units, (ten, unit) => [
    `${unit}en${ten}`,
    `${unit} en ${ten}`,
  ]),
];
const irregular = ['eerste', 'tweede', 'derde', 'vierde', 'vijfde', 'zesde', 'zevende', 'achtste', 'negende'];

const weekdays = 'maandag dinsdag woensdag donderdag vrijdag zaterdag zondag'.split(' ');
const partsOfDay = 'ochtend middag namiddag avond'.split(' ');

export const nl: Lexicon = {
  numbers: {
    small,
    hundred: 'honderd',
    bareScale: true,
    scales: [
      ['duizend', 1e3],
      ['miljoen', 1e6],
      ['miljard', 1e9],
    ],
    and: 'en',
    minus: 'min; minus',
    point: 'komma; punt',
    groupedDecimals: true,
    one: '',
    ordinals: [
      ...counted(irregular.join(' '), 1),
      ...small
        .filter(([word, value]) => value >= 10 && value < 32 && !word.includes(' '))
        .map(([word, value]) => [`${word}${value < 20 ? 'de' : 'ste'}`, value] as const),
    ],
    ordinalSuffixes: 'e; de; ste',
    split: either(
      splitInto([...small.map(([word]) => word), 'honderd', 'duizend', 'en'], /honderd|duizend/),
      splitInto([...weekdays, 'morgen', ...partsOfDay], /dag.|morgen./),
    ),
  },
  fillers:
    'alstublieft; alsjeblieft; graag; bedankt; dank u; dank je; dank u wel; dank je wel; ja graag; ja; ok; okay; oke; goed; nou; eh; uh; hallo; dus; (het|dat) (is|wordt|zou zijn); (ik wil|ik wil graag|ik neem|ik kies|ik denk|ik heb liever); (ik zou graag); (wij|we) (willen|nemen|kiezen|willen graag); laten we zeggen; geef mij maar; mijn antwoord is; eigenlijk',
  numberFillers:
    'ik ben; we zijn; wij zijn; er zijn; hij is; zij is; ik heb; we hebben; mijn leeftijd is; het nummer is; nummer; in totaal; met; precies; alleen; slechts',
  corrections:
    'nee ,; nee [,] (ik|we|wij) (zei|zeiden|bedoelde|bedoelden|bedoel); (ik|we|wij) (zei|zeiden|bedoelde|bedoelden); (ik heb|we hebben); gezegd; bedoeld; sorry',
  groups: [
    ["met (z'n|zijn|ons) tweeen", 2],
    ["met (z'n|zijn|ons) drieen", 3],
    ["met (z'n|zijn|ons) vieren", 4],
    ["met (z'n|zijn|ons) vijven", 5],
    ["met (z'n|zijn|ons) zessen", 6],
    ["met (z'n|zijn|ons) zevenen", 7],
    ["met (z'n|zijn|ons) achten", 8],
    ["met (z'n|zijn|ons) tienen", 10],
  ],
  idiomDays: [8, 15],
  ages: '{n} jaar oud; ik ben {n} jaar',
  choiceFillers: 'de; het; een; die; dat; optie; in; alleen',
  momentGlue: 'op; om; de; het; in; van; een',
  momentFillers:
    '(mijn verjaardag|mijn geboortedatum|mijn afspraak|de afspraak) is [op]; geboren [op]; ik ben; ik kan; we kunnen; (komt|is) (goed|prima) [uit]; is (goed|prima); precies; datum; tijd',
  yes: 'ja; jazeker; jawel; jep; klopt; juist; correct; waar; goed; ok; okay; oke; zeker; natuurlijk; inderdaad; graag; prima; akkoord; precies; absoluut; zeker weten; vanzelfsprekend; 1; true; ja (graag|hoor|zeker|precies|natuurlijk|dat klopt|dat is (juist|correct|waar|goed)|dat is het); dat (klopt|is (juist|correct|waar|goed)); bevestigd',
  no: 'nee; neen; nee bedankt; nee dank u; nee dank je; niet echt; helemaal niet; zeker niet; absoluut niet; natuurlijk niet; nooit; onjuist; fout; verkeerd; onwaar; 0; false; dat (klopt niet|is niet (juist|correct|waar|goed)|is (fout|onjuist|verkeerd)); nee dat (klopt niet|is niet (juist|correct|waar|goed)|is (fout|onjuist|verkeerd)); klopt niet; ik (wil|denk|geloof) (niet|van niet|het niet); nog niet; nu niet; liever niet; echt niet; nee hoor',
  eitherWay:
    '(iedereen is|met iedereen gaat het|het gaat) (in orde|goed|ok|oke); alles (is goed|goed|in orde|ok|oke); (met mij|met ons) gaat het goed; dat is alles; dat was het; niemand is gewond; meneer; mevrouw',
  negations: 'niet; geen; nooit; noch; behalve; zonder; in plaats van',
  streets: /(?:straat|laan|weg|plein|kade|gracht|dijk|singel)$/,
  and: 'en',
  names: {
    months: [
      ...['januari; jan', 'februari; feb', 'maart; mrt', 'april; apr', 'mei', 'juni; jun', 'juli; jul'],
      ...['augustus; aug', 'september; sept; sep', 'oktober; okt', 'november; nov', 'december; dec'],
    ],
    weekdays: ['maandag', 'dinsdag', 'woensdag', 'donderdag', 'vrijdag', 'zaterdag', 'zondag'],
    units: [
      ...['seconde; seconden', 'minuut; minuten; min', 'uur; uren', 'dag; dagen', 'week; weken'],
      ...['maand; maanden', 'jaar; jaren'],
    ],
    parts: [
      ...['am', 'pm', "'s ochtends; s ochtends; 's morgens; s morgens; ochtend; in de ochtend; voormiddag"],
      ...["'s middags; s middags; middag; in de middag; namiddag", "'s avonds; s avonds; avond; in de avond"],
      "'s nachts; s nachts; in de nacht",
    ],
    quarter: 'kwart',
    half: '',
    threeQuarters: '',
    oh: 'nul',
  },
  moments: {
    today: 'vandaag',
    tomorrow: 'morgen',
    yesterday: 'gisteren',
    overmorrow: 'overmorgen',
    ereyesterday: 'eergisteren',
    now: 'nu',
    thisMorning: 'vanochtend; vanmorgen',
    thisAfternoon: 'vanmiddag',
    tonight: 'vanavond',
    weekday: '{weekday}; (aanstaande|komende) {weekday}; {weekday} aanstaande',
    thisWeekday: 'deze {weekday}; {weekday} deze week',
    nextWeekday: '{weekday} volgende week; volgende week {weekday}',
    eitherWeekday: '(volgende|volgend) {weekday}',
    lastWeekday: '(vorige|afgelopen) {weekday}',
    dayMonth: '[de] {d} [van] {month} [{year}]',
    dayOnly: '(de|op de) {ordinal}; de {d}; {ordinal}',
    dayThisMonth: '[op] [de] {d} van deze maand; deze maand [op] de {d}',
    dayNextMonth: '[op] [de] {d} van (volgende|de volgende|komende) maand; volgende maand [op] de {d}',
    dayLastMonth: '[op] [de] {d} van (vorige|de vorige|afgelopen) maand; vorige maand [op] de {d}',
    lastNight: 'gisteravond; gisternacht; gisteren avond; afgelopen nacht',
    weekdayLastWeek:
      '{weekday} (vorige|afgelopen) week; {weekday} van (vorige|de vorige) week; vorige week [op] {weekday}',
    vague:
      '(volgende|deze|vorige) (week|maand); (volgend|dit|vorig) (jaar|weekend|weekeinde); [in] {month} [{year}]; [het] (weekend|weekeinde)',
    inUnits: '[vandaag] (over|in) {n} {unit}',
    inTwoUnits: 'over {n} {unit} en {n} {unit}',
    inHalfHour: 'over een half uur; over een halfuur',
    unitsAgo: '{n} {unit} geleden',
    noon: '',
    midnight: 'middernacht',
    hour: '[om] {h} uur [{part}]; om {h} [{part}]',
    hourPart: '{h} {part}',
    hourMinute: '[om] {h} uur {mm} [{part}]; om {h} {mm}',
    hourPast: '[om] {h} uur [en] {m} [minuten] [{part}]',
    pastMidnight: '{m} [minuten] over middernacht',
    toMidnight: '{m} [minuten] voor middernacht',
    dotted: '[om] {dotted} uur [{part}]; om {dotted}',
    past: '[om] {m} [minuten|minuut] over {h} [uur] [{part}]',
    to: '[om] {m} [minuten|minuut] voor {h} [uur] [{part}]',
    halfTo: '[om] half {h} [{part}]',
    pastHalf: '[om] {m} [minuten] over half {h} [{part}]',
    toHalf: '[om] {m} [minuten] voor half {h} [{part}]',
    or: 'of',
    range: 'tot; tussen; van; -; en; tot en met',
  },
};
