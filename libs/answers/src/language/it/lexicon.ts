// Italian.
import { counted, splitInto, tensAndUnits } from '../spell.ts';
import type { Lexicon } from '../language.ts';

const units = 'uno due tre quattro cinque sei sette otto nove';
const small = [
  ...counted(
    `zero ${units} dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove`,
  ),
  ['un', 1] as const,
  ['una', 1] as const,
  // The last vowel goes before another: ventuno, ventotto.
  ...tensAndUnits('venti trenta quaranta cinquanta sessanta settanta ottanta novanta', units, (ten, unit) =>
    unit === 'uno'
      ? [`${ten.slice(0, -1)}uno`, `${ten.slice(0, -1)}una`, `${ten.slice(0, -1)}un`, `${ten} uno`]
      : [`${/^[aeiou]/.test(unit) ? ten.slice(0, -1) : ten}${unit}`, `${ten} ${unit}`],
  ),
];

export const it: Lexicon = {
  numbers: {
    small,
    hundred: 'cento; cent',
    bareScale: true,
    scales: [
      ['mille; mila', 1e3],
      ['milione; milioni', 1e6],
      ['miliardo; miliardi', 1e9],
    ],
    and: 'e',
    minus: 'meno',
    point: 'virgola; punto',
    groupedDecimals: true,
    one: '',
    ordinals: [['primo', 1]],
    ordinalSuffixes: 'º; °; o',
    split: splitInto([...small.map(([word]) => word), 'cento', 'cent', 'mille', 'mila'], /cent|mil/),
  },
  fillers:
    'per favore; per piacere; grazie; si; si (grazie|per favore|certo); ok; okay; va bene; allora; beh; ehm; ciao; buongiorno; (e|sarebbe|sara|sono|saranno); (vorrei|voglio|prendo|preferisco|scelgo|penso); mi piacerebbe; (vorremmo|vogliamo|prendiamo|preferiamo); diciamo; mi dia; la risposta e',
  numberFillers:
    'ho; siamo; siamo in; abbiamo; ci sono; ha; la mia eta e; il numero e; numero; in tutto; in totale; esattamente; solo',
  corrections:
    'no ,; no [,] (ho detto|intendevo|volevo dire|abbiamo detto); (ho detto|intendevo|volevo dire|abbiamo detto); (scusi|scusa)',
  groups: [],
  idiomDays: [8, 15],
  ages: 'ho {n} anni; {n} anni di eta',
  choiceFillers: 'il; lo; la; i; gli; le; l; un; una; uno; quello; quella; opzione; in',
  momentGlue: 'a; il; lo; la; le; alle; all; del; di; per; l; al',
  momentFillers:
    "(la mia data di nascita|il mio compleanno|il mio appuntamento|l'appuntamento) e; sono (nato|nata) [il]; mi va bene; (posso|possiamo); in punto; data; ora",
  yes: "si; certo; certamente; esatto; esattamente; giusto; corretto; vero; ok; okay; va bene; d'accordo; sicuro; sicuramente; perfetto; assolutamente; assolutamente si; volentieri; 1; true; si (grazie|per favore|certo|esatto|e (giusto|corretto|vero)); (e) (giusto|corretto|vero|esatto); certo che si; confermo; lo confermo",
  yesOrIf: 'si',
  no: 'no; no grazie; non proprio; per niente; affatto; mai; falso; sbagliato; scorretto; assolutamente no; certo che no; 0; false; non e (giusto|corretto|vero|esatto); no (non e) (giusto|corretto|vero|esatto); e (falso|sbagliato); non (voglio|credo|penso); non ancora; non ora; no non (voglio|credo)',
  eitherWay:
    '(tutti stiamo|stiamo tutti|stanno tutti|sto|stiamo) bene; tutto (bene|a posto|ok); e tutto; nessuno e ferito; signore; signora',
  negations: 'non; mai; ne; tranne; eccetto; senza; invece di; piuttosto che',
  streets: /^(?:via|viale|piazza|corso|vicolo|largo)$/,
  and: 'e',
  names: {
    months: [
      ...[
        'gennaio; gen',
        'febbraio; feb',
        'marzo; mar',
        'aprile; apr',
        'maggio; mag',
        'giugno; giu',
        'luglio; lug',
      ],
      ...['agosto; ago', 'settembre; sett; set', 'ottobre; ott', 'novembre; nov', 'dicembre; dic'],
    ],
    weekdays: [
      'lunedi; lun',
      'martedi',
      'mercoledi; mer',
      'giovedi; gio',
      'venerdi; ven',
      'sabato; sab',
      'domenica; dom',
    ],
    units: [
      ...['secondo; secondi', 'minuto; minuti; min', 'ora; ore', 'giorno; giorni', 'settimana; settimane'],
      ...['mese; mesi', 'anno; anni'],
    ],
    parts: [
      ...[
        'am',
        'pm',
        '(di|del) (mattina|mattino); mattina',
        '(del|di) pomeriggio; pomeriggio; nel pomeriggio',
      ],
      ...['(di|della) sera; sera', '(di|della) notte; notte'],
    ],
    quarter: '[un] quarto',
    half: 'mezza; mezzo',
    threeQuarters: 'tre quarti',
    oh: 'zero',
  },
  moments: {
    today: 'oggi',
    tomorrow: 'domani',
    yesterday: 'ieri',
    overmorrow: 'dopodomani; dopo domani',
    ereyesterday: "l'altro ieri; altro ieri; avantieri",
    now: 'adesso; ora',
    thisMorning: 'stamattina; stamani; questa mattina',
    thisAfternoon: 'questo pomeriggio',
    tonight: 'stasera; questa sera',
    weekday: '[il|la] {weekday}',
    eitherWeekday: '[il|la] (prossimo|prossima) {weekday}; [il|la] {weekday} (prossimo|prossima)',
    thisWeekday: '(questo|questa) {weekday}; {weekday} di questa settimana',
    nextWeekday: '{weekday} della (prossima settimana|settimana prossima)',
    lastWeekday: '{weekday} (scorso|scorsa|passato|passata); (scorso|scorsa) {weekday}',
    dayMonth: "[il|l|lo] {d} del {mn} [{year}]; [il|l'|lo] {d} [di|del mese di] {month} [del] [{year}]",
    dayOnly: '(il|l|lo) {d}; [il] giorno {d}',
    dayThisMonth: '[il|l|lo] {d} (di questo|del corrente) mese; questo mese il {d}',
    dayNextMonth:
      '[il|l|lo] {d} del (mese prossimo|prossimo mese|mese che viene); il mese prossimo il {d}; il prossimo mese il {d}',
    dayLastMonth: '[il|l|lo] {d} del (mese scorso|scorso mese|mese passato); il mese scorso il {d}',
    lastNight: 'ieri (sera|notte); la notte scorsa; la scorsa notte',
    weekdayLastWeek:
      '{weekday} della (settimana scorsa|scorsa settimana|settimana passata); {weekday} la settimana scorsa; la settimana scorsa {weekday}',
    vague:
      '(la|questa) (prossima settimana|settimana prossima|settimana scorsa|settimana); (prossima settimana|settimana prossima|settimana scorsa); [il|questo] (prossimo mese|mese prossimo|mese scorso|mese|anno|anno prossimo|prossimo anno); [a|in] {month} [[del] {year}]; [il|questo|nel] (fine settimana|weekend)',
    inUnits: '(tra|fra) {n} {unit}',
    inTwoUnits: '(tra|fra) {n} {unit} e {n} {unit}',
    inHalfHour: "(tra|fra) mezz'ora; (tra|fra) mezzora",
    unitsAgo: '{n} {unit} fa',
    noon: 'mezzogiorno; a mezzogiorno',
    midnight: '[a] mezzanotte',
    hour: '(alle|all|le|l) [ore] {h} [{part}]; ore {h}; alla {h} [{part}]',
    hourPart: '{h} {part}',
    hourMinute: '(alle|le|all) [ore] {h} {mm} [{part}]',
    dotted: '(alle|le|ore) [ore] {dotted} [{part}]',
    hourPast: '[alle|le|all|l] [ore] {h} e {m} [minuti] [{part}]; (alle|le|all|l) [ore] {h} {m} [{part}]',
    hourTo: '[alle|le|all|l] [ore] {h} meno {m} [{part}]',
    to: '{m} [minuti] (alle|all) {h} [{part}]; mancano {m} [minuti] (alle|all) {h} [{part}]',
    pastNoon: '[a] mezzogiorno e {m}',
    pastMidnight: '[a] mezzanotte e {m}',
    toNoon: '[a] mezzogiorno meno {m}; {m} [minuti] a mezzogiorno',
    toMidnight: '[a] mezzanotte meno {m}; {m} [minuti] a mezzanotte',
    or: 'o; oppure',
    range: 'fino a; fino al; fino alle; dal; dalle; tra; -; e',
  },
};
