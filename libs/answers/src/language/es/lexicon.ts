// Spanish.
import { counted, tensAndUnits } from '../spell.ts';
import type { Lexicon } from '../language.ts';

const units = 'uno dos tres cuatro cinco seis siete ocho nueve';
const hundreds =
  'cientos doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos';

export const es: Lexicon = {
  numbers: {
    small: [
      ...counted(
        `cero ${units} diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve`,
      ),
      ['un', 1],
      ['una', 1],
      ['veintiun', 21],
      ['veintiuna', 21],
      ...tensAndUnits('treinta cuarenta cincuenta sesenta setenta ochenta noventa', units, tenAndUnit, 30),
      ['cien', 100],
      ['ciento', 100],
      ...hundreds
        .split(' ')
        .slice(1)
        .flatMap((word, index) =>
          [word, word.replace(/os$/, 'as')].map((spelled) => [spelled, (index + 2) * 100] as const),
        ),
    ],
    hundred: '',
    bareScale: true,
    scales: [
      ['mil', 1e3],
      ['millon; millones', 1e6],
    ],
    and: 'y',
    minus: 'menos',
    point: 'coma; punto; con',
    groupedDecimals: true,
    one: '',
    ordinals: [['primero', 1]],
    ordinalSuffixes: 'º; °; o',
  },
  fillers:
    'por (favor|suerte|desgracia|detras|delante); gracias; muchas gracias; si; si (por favor|gracias|muchas gracias); ok; okay; vale; claro; bueno; pues; eh; hola; (es|seria|sera|son|serian); (quiero|quisiera|querria|prefiero|necesito|elijo|escojo|creo que es); me gustaria; (queremos|quisieramos|preferimos|necesitamos); digamos; deme; la respuesta es; yo',
  numberFillers:
    'tengo; somos; tenemos; hay; tiene; mi edad es; el numero es; numero; en total; exactamente; solo',
  corrections:
    'no ,; no [,] (dije|he dicho|quise decir|queria decir|dijimos); (dije|he dicho|quise decir|queria decir|dijimos); perdon',
  groups: [],
  idiomDays: [8, 15],
  ages: 'tengo {n} anos [de edad]; {n} anos de edad',
  choiceFillers: 'el; la; los; las; un; una; lo; opcion; de; en',
  momentGlue: 'a; el; la; las; los; de; del; en; para; al',
  momentFillers:
    '(mi fecha de nacimiento|mi cumpleanos|mi cita|la cita) es; naci; me (va|viene) bien; (puedo|podemos); esta bien; en punto; fecha; hora; dia',
  yes: 'si; sip; claro; claro que si; por supuesto; desde luego; correcto; exacto; exactamente; cierto; verdad; verdadero; ok; okay; vale; de acuerdo; seguro; perfecto; asi es; eso es; efectivamente; 1; true; si (por favor|gracias|muchas gracias|claro|correcto|exacto|asi es|es correcto|eso es); es (correcto|cierto|verdad); (esta bien); confirmo; lo confirmo; afirmativo',
  yesOrIf: 'si',
  no: 'no; nop; no gracias; claro que no; para nada; en absoluto; nunca; jamas; falso; incorrecto; la verdad no; la verdad es que no; no realmente; realmente no; por supuesto que no; negativo; 0; false; no es (correcto|cierto|verdad|asi); no (no es|no) (correcto|cierto|verdad|asi); es (falso|incorrecto); no (quiero|creo|lo creo|lo quiero); todavia no; ahora no; aun no',
  eitherWay:
    '(todos|todo el mundo) (estan|esta) bien; todo (esta|va) bien; todo bien; (estoy|estamos) bien; eso es todo; nadie esta herido; senor; senora',
  negations: 'no; nunca; ni; excepto; salvo; sin; en vez de; en lugar de',
  streets: /^(?:calle|avenida|paseo|plaza|camino|carretera)$/,
  and: 'y',
  names: {
    months: [
      ...['enero; ene', 'febrero; feb', 'marzo; mar', 'abril; abr', 'mayo; may', 'junio; jun', 'julio; jul'],
      ...[
        'agosto; ago',
        'septiembre; setiembre; sept; sep',
        'octubre; oct',
        'noviembre; nov',
        'diciembre; dic',
      ],
    ],
    weekdays: [
      'lunes; lun',
      'martes',
      'miercoles; mie',
      'jueves; jue',
      'viernes; vie',
      'sabado; sab',
      'domingo; dom',
    ],
    units: [
      ...['segundo; segundos', 'minuto; minutos; min', 'hora; horas', 'dia; dias', 'semana; semanas'],
      ...['mes; meses', 'ano; anos'],
    ],
    parts: [
      ...[
        'am',
        'pm',
        '(de|por|en) la (manana|madrugada); de madrugada; del dia',
        '(de|por|en) la tarde; del mediodia',
      ],
      ...['', '(de|por|en) la noche'],
    ],
    quarter: 'cuarto',
    half: 'media',
    threeQuarters: 'tres cuartos',
    oh: 'cero',
  },
  moments: {
    today: 'hoy',
    tomorrow: 'manana',
    yesterday: 'ayer',
    overmorrow: 'pasado manana',
    ereyesterday: 'anteayer; antes de ayer',
    now: 'ahora',
    thisMorning: 'esta manana',
    thisAfternoon: 'esta tarde',
    tonight: 'esta noche',
    weekday: '[el] {weekday}; [el] {weekday} que viene',
    eitherWeekday: '[el] proximo {weekday}; [el] {weekday} proximo',
    thisWeekday: 'este {weekday}; [el] {weekday} de esta semana',
    nextWeekday: '[el] {weekday} de la (semana que viene|proxima semana|semana proxima)',
    lastWeekday: '[el] {weekday} pasado; [el] pasado {weekday}',
    dayMonth:
      '[el] [dia] {d} del {mn} [(de|del) {year}]; [el] [dia] {d} [de|del mes de] {month} [de|del] [{year}]',
    dayOnly: '(el|dia) {d}; el dia {d}',
    dayThisMonth: '[el] [dia] {d} (de este|del presente|de este mismo) mes; este mes el [dia] {d}',
    dayNextMonth:
      '[el] [dia] {d} del (mes que viene|proximo mes|mes proximo|mes siguiente|mes entrante); el mes que viene el [dia] {d}; el proximo mes el [dia] {d}',
    dayLastMonth: '[el] [dia] {d} del (mes pasado|pasado mes|mes anterior); el mes pasado el [dia] {d}',
    lastNight: 'anoche; ayer [por|en] [la] noche',
    weekdayLastWeek: '[el] {weekday} de la (semana pasada|pasada semana); la semana pasada [el] {weekday}',
    vague:
      '(la|esta) (proxima semana|semana que viene|semana pasada|semana); (el|este) (proximo mes|mes que viene|mes pasado|mes|ano|ano que viene); [en] {month} [(de|del) {year}]; [el|este] fin de semana',
    inUnits: '(en|dentro de) {n} {unit}',
    inTwoUnits: '(en|dentro de) {n} {unit} y {n} {unit}',
    inHalfHour: '(en|dentro de) media hora',
    unitsAgo: 'hace {n} {unit}; {n} {unit} atras',
    noon: '[a] [al] mediodia; (las) doce del mediodia',
    midnight: '[a] [la] medianoche',
    hour: '(a|para) (las|la) {h} [horas] [{part}]; (las|la) {h} [horas] [{part}]; {h13} horas',
    hourPart: '{h} {part}',
    hourMinute: '[a] (las|la) {h} {mm} [{part}]',
    hourPast:
      '[a] [las|la] {h} (y|con) {m} [minutos] [{part}]; ([a] (las|la) {h}|{h13}) (horas|hora) (y|con) {m} [minutos] [{part}]; [a] (las|la) {h} {m} [{part}]',
    hourTo: '[a] [las|la] {h} menos {m} [{part}]; [a] [las|la] {h} horas menos {m} [{part}]',
    to: '[faltan|falta] {m} [minutos|minuto] para (las|la) {h} [{part}]; [un] cuarto para (las|la) {h} [{part}]',
    pastNoon: '[al] mediodia y {m}; (las) doce y {m} del mediodia',
    pastMidnight: '[a] [la] medianoche y {m}',
    toNoon: '{m} [minutos] para el mediodia',
    toMidnight: '{m} [minutos] para la medianoche',
    or: 'o; u',
    range: 'hasta; entre; -; y; desde',
  },
};

function tenAndUnit(ten: string, unit: string): string[] {
  const joined = [`${ten} y ${unit}`, `${ten} ${unit}`];
  return unit === 'uno' ? [...joined, `${ten} y un`, `${ten} y una`] : joined;
}
