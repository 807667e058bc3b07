// Spanish answers of every cast that reads words, on both sides of each rule
// (docs/flow-language.md#casts).
import { answers } from '../../test/answer-tables.ts';

const language = 'es';

answers(
  'number',
  `
  veintiuno = 21
  treinta y cinco = 35
  doscientos tres = 203
  mil novecientos ochenta y cinco = 1985
  tengo 15 años = 15
  1.234,5 = 1234.5
  tres coma dos = 3.2
  cinco, por favor = 5
  unos veinte ! not_a_number
  dos o tres ! not_a_number
  no cinco ! not_a_number
  al menos 5 ! not_a_number`,
  { language },
);

answers(
  'boolean',
  `
  sí = true
  Sí, por favor. = true
  es correcto = true
  claro que sí = true
  no = false
  no, gracias = false
  la verdad es que no = false
  no es correcto = false
  no, todos están bien = false
  no sé ! not_a_boolean
  sí y no ! not_a_boolean
  quizás ! not_a_boolean`,
  { language },
);

answers(
  'date',
  `
  hoy = "2026-08-24"
  pasado mañana = "2026-08-26"
  el viernes = "2026-08-28"
  el viernes que viene = "2026-08-28"
  el viernes pasado = "2026-08-21"
  el 16 de noviembre de 2026 = "2026-11-16"
  5/6/2026 = "2026-06-05"
  el cinco de mayo = "2027-05-05"
  en dos semanas = "2026-09-07"
  hace 3 días = "2026-08-21"
  el próximo viernes ! ambiguous
  no mañana ! not_a_date
  viernes o sábado ! ambiguous
  la próxima semana ! no_day`,
  { language },
);

answers(
  'time',
  `
  las siete y media = "19:30"
  las nueve menos cuarto = "20:45"
  las ocho de la noche = "20:00"
  a las 8 de la mañana = "08:00"
  a las 10:38 = "10:38"
  a las 17 horas = "17:00"
  mediodía = "12:00"
  a las ocho y veinte = "20:20"
  sobre las ocho ! not_a_time
  después de las ocho ! not_a_time
  las ocho o las nueve ! ambiguous
  las 25 ! not_a_time`,
  { language },
);

answers(
  'datetime',
  `
  mañana a las 17 horas = "2026-08-25T17:00:00Z"
  el 16 de noviembre de 2026 a las 10:38 = "2026-11-16T10:38:00Z"
  esta noche a las 8 = "2026-08-24T20:00:00Z"
  mañana a las 9 de la mañana = "2026-08-25T09:00:00Z"
  en media hora = "2026-08-24T12:30:00Z"
  el viernes al mediodía = "2026-08-28T12:00:00Z"
  mañana ! no_time
  no mañana a las 9 ! not_a_datetime
  mañana sobre las 9 ! not_a_datetime`,
  { language },
);

answers(
  'enum',
  `
  la roja = "roja"
  la roja, por favor = "roja"
  quiero la azul = "azul"
  Roja. = "roja"
  me gustaría la roja = "roja"
  la roja o la azul ! not_a_choice
  no la roja ! not_a_choice
  todo menos la roja ! not_a_choice
  rojas ! not_a_choice`,
  { language, choices: ['roja', 'azul'] },
);

answers(
  'list',
  `
  té y leche = ["té","leche"]
  té, leche y azúcar = ["té","leche","azúcar"]
  té = ["té"]
  té; leche = ["té","leche"]
  yogur = ["yogur"]
  té and leche = ["té and leche"]
  , ! not_a_list
  [] ! not_a_list`,
  { language },
);

answers(
  'email',
  `
  ada@example.com = "ada@example.com"
  mi correo es ada@example.com = "ada@example.com"
  ada@example.com por favor = "ada@example.com"
  sí, ada@example.com = "ada@example.com"
  no ada@example.com ! not_an_email
  todo menos eso, nunca ada@example.com ! not_an_email
  ada@example.com o bob@example.com ! ambiguous
  ada arroba example ! not_an_email`,
  { language },
);

answers(
  'url',
  `
  example.es = "https://example.es"
  es example.es = "https://example.es"
  example.es por favor = "https://example.es"
  https://example.es/a = "https://example.es/a"
  no example.es ! not_a_url
  example.es o example.com ! ambiguous
  1,5 ! not_a_url
  No. ! not_a_url`,
  { language },
);

// What puts right what was understood before.
answers(
  'date',
  `
  no, he dicho viernes = "2026-08-28"
  no el viernes ! not_a_date`,
  { language },
);
answers(
  'integer',
  `
  no, quise decir cuatro = 4`,
  { language },
);
