// Portuguese.
import { counted, tensAndUnits } from '../spell.ts';
import type { Lexicon } from '../language.ts';

const units = 'um dois tres quatro cinco seis sete oito nove';
const hundreds = 'duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos';

export const pt: Lexicon = {
  numbers: {
    small: [
      ...counted(`zero ${units} dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove`),
      ...counted('dezasseis dezassete', 16),
      ['dezanove', 19],
      ['quatorze', 14],
      ['uma', 1],
      ['duas', 2],
      ...tensAndUnits('vinte trinta quarenta cinquenta sessenta setenta oitenta noventa', units, tenAndUnit),
      ['cem', 100],
      ['cento', 100],
      ...hundreds
        .split(' ')
        .flatMap((word, index) =>
          [word, word.replace(/os$/, 'as')].map((spelled) => [spelled, (index + 2) * 100] as const),
        ),
    ],
    hundred: '',
    bareScale: true,
    scales: [
      ['mil', 1e3],
      ['milhao; milhoes', 1e6],
      ['bilhao; bilhoes; mil milhoes', 1e9],
    ],
    and: 'e',
    minus: 'menos',
    point: 'virgula; ponto',
    groupedDecimals: true,
    one: '',
    ordinals: [['primeiro', 1]],
    ordinalSuffixes: 'º; °; o',
  },
  fillers:
    'por favor; se faz favor; obrigado; obrigada; muito obrigado; muito obrigada; sim; ok; okay; claro; bom; entao; eh; ola; (e|seria|sera|sao|seriam); (quero|queria|gostaria de|prefiro|preciso|escolho|acho); (queremos|preferimos|gostariamos de|precisamos); digamos; a resposta e; eu',
  numberFillers:
    'tenho; somos; temos; ha; tem; minha idade e; a minha idade e; o numero e; numero; no total; ao todo; exatamente; so; apenas',
  corrections:
    'nao ,; nao [,] [eu] (disse|quis dizer|queria dizer); [eu] (disse|quis dizer|queria dizer); (desculpe|desculpa)',
  groups: [],
  idiomDays: [8, 15],
  ages: 'tenho {n} anos [de idade]; {n} anos de idade',
  choiceFillers: 'o; a; os; as; um; uma; opcao; de; em',
  momentGlue: 'a; o; as; os; no; na; de; do; da; em; para; ao; dia; pelas',
  momentFillers:
    '([a] minha data de nascimento|[o] meu aniversario|[a] minha consulta|a consulta) e; nasci; (pode ser|posso|podemos); esta bom; em ponto; data; hora',
  yes: 'sim; claro; claro que sim; com certeza; certamente; correto; certo; exato; exatamente; isso; isso mesmo; verdade; verdadeiro; ok; okay; ta bom; esta bem; de acordo; perfeito; pode ser; 1; true; sim (por favor|obrigado|obrigada|claro|esta correto|esta certo|e isso|isso mesmo); (esta|e) (correto|certo|verdade|exato); e isso; confirmo',
  no: 'nao; nao obrigado; nao obrigada; claro que nao; de jeito nenhum; de modo algum; nem pensar; nunca; jamais; falso; errado; incorreto; na verdade nao; nao muito; 0; false; nao (e|esta) (correto|certo|verdade|isso); nao nao (e|esta) (correto|certo|verdade|isso); (esta|e) (errado|incorreto|falso); nao (quero|acho|acredito); ainda nao; agora nao',
  eitherWay:
    '(todos|todo mundo|toda a gente) (estao|esta) bem; esta tudo bem; tudo bem; (estou|estamos) bem; e so isso; e tudo; ninguem esta ferido; senhor; senhora',
  negations: 'nao; nunca; nem; exceto; salvo; sem; em vez de; ao inves de',
  streets: /^(?:rua|avenida|praca|travessa|alameda|estrada)$/,
  and: 'e',
  names: {
    months: [
      ...[
        'janeiro; jan',
        'fevereiro; fev',
        'marco; mar',
        'abril; abr',
        'maio; mai',
        'junho; jun',
        'julho; jul',
      ],
      ...['agosto; ago', 'setembro; set', 'outubro; out', 'novembro; nov', 'dezembro; dez'],
    ],
    weekdays: [
      ...['segunda; segunda feira', 'terca; terca feira', 'quarta; quarta feira', 'quinta; quinta feira'],
      ...['sexta; sexta feira', 'sabado', 'domingo'],
    ],
    units: [
      ...['segundo; segundos', 'minuto; minutos; min', 'hora; horas', 'dia; dias', 'semana; semanas'],
      ...['mes; meses', 'ano; anos'],
    ],
    parts: [
      ...[
        'am',
        'pm',
        '(da|de|pela|na) (manha|madrugada)',
        '(da|de|pela|a) tarde',
        '',
        '(da|de|a|pela) noite',
      ],
    ],
    quarter: '[um] quarto',
    half: 'meia',
    threeQuarters: 'tres quartos',
    oh: 'zero',
  },
  moments: {
    today: 'hoje',
    tomorrow: 'amanha',
    yesterday: 'ontem',
    overmorrow: 'depois de amanha',
    ereyesterday: 'anteontem',
    now: 'agora',
    thisMorning: '(esta|hoje de) manha',
    thisAfternoon: '(esta|hoje a) tarde',
    tonight: '(esta|hoje a) noite',
    weekday: '[na|no] {weekday}; {weekday} que vem',
    eitherWeekday: '[na|no] (proxima|proximo) {weekday}',
    thisWeekday: '(esta|este|nesta|neste) {weekday}; {weekday} desta semana',
    nextWeekday: '{weekday} da (semana que vem|proxima semana)',
    lastWeekday: '{weekday} (passada|passado); (ultima|ultimo) {weekday}',
    dayMonth:
      '[dia|em|no dia|o dia] {d} (do|de) {mn} [(de|do) {year}]; [dia|em|no dia|o dia] {d} [de|do mes de] {month} [de] [{year}]',
    dayOnly: '[no] dia {d}',
    dayThisMonth: '[no] [dia] {d} (deste|desse) mes; este mes [no] dia {d}',
    dayNextMonth:
      '[no] [dia] {d} do (mes que vem|proximo mes|mes seguinte); [no] mes que vem [no] dia {d}; [no] proximo mes [no] dia {d}',
    dayLastMonth: '[no] [dia] {d} do (mes passado|ultimo mes); [no] mes passado [no] dia {d}',
    lastNight: 'ontem (a|de|pela) noite; na noite passada; a noite passada; noite passada',
    weekdayLastWeek: '[na|no] {weekday} da semana passada; [na] semana passada [na|no] {weekday}',
    vague:
      '[na] (proxima semana|semana que vem|semana passada); [no] (proximo mes|mes que vem|mes passado|proximo ano|ano que vem|ano passado); [em] {month} [de {year}]; [no|neste] fim de semana',
    inUnits: '(em|daqui a|dentro de) {n} {unit}',
    inTwoUnits: '(em|daqui a|dentro de) {n} {unit} e {n} {unit}',
    inHalfHour: '(em|daqui a|dentro de) meia hora',
    unitsAgo: 'ha {n} {unit}; {n} {unit} atras',
    noon: 'meio dia; ao meio dia',
    midnight: 'meia noite; a meia noite',
    hour: '[as|a] {h} (hora|horas|h) [{part}]; as {h} [{part}]',
    hourPart: '{h} {part}',
    hourMinute: '[as|a] {h} (hora|horas|h) [e] {mm} [{part}]; as {h} {mm}',
    hourPast: '[as|a] {h} [horas|hora|h] e {m} [minutos] [{part}]; as {h} {m} [{part}]',
    to: '[faltam] {m} [minutos] (para|pras|pra) [as|a] {h} [{part}]',
    hourTo: '[as|a] {h} [horas] menos {m} [{part}]',
    pastNoon: '[ao] meio dia e {m}',
    pastMidnight: '[a] meia noite e {m}',
    toNoon: '[faltam] {m} [minutos] (para|pro) [o] meio dia',
    toMidnight: '[faltam] {m} [minutos] (para|pra) [a] meia noite',
    or: 'ou',
    range: 'ate; entre; -; e; desde',
  },
};

function tenAndUnit(ten: string, unit: string): string[] {
  const other = unit === 'um' ? [`${ten} e uma`] : unit === 'dois' ? [`${ten} e duas`] : [];
  return [`${ten} e ${unit}`, `${ten} ${unit}`, ...other];
}
