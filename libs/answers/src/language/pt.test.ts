// Portuguese answers of every cast that reads words, on both sides of each rule
// (docs/flow-language.md#casts).
import { answers } from '../../test/answer-tables.ts';

const language = 'pt';

answers(
  'number',
  `
  vinte e um = 21
  duzentos e três = 203
  mil novecentos e oitenta e cinco = 1985
  cento e vinte e um = 121
  tenho 15 anos = 15
  1.234,5 = 1234.5
  três vírgula dois = 3.2
  cinco, por favor = 5
  cerca de vinte ! not_a_number
  dois ou três ! not_a_number
  não cinco ! not_a_number
  pelo menos 5 ! not_a_number`,
  { language },
);

answers(
  'boolean',
  `
  sim = true
  Sim, por favor. = true
  está correto = true
  claro que sim = true
  não = false
  não, obrigado = false
  na verdade não = false
  não está correto = false
  não, todos estão bem = false
  não sei ! not_a_boolean
  sim e não ! not_a_boolean
  talvez ! not_a_boolean`,
  { language },
);

answers(
  'date',
  `
  hoje = "2026-08-24"
  depois de amanhã = "2026-08-26"
  sexta-feira = "2026-08-28"
  sexta passada = "2026-08-21"
  16 de novembro de 2026 = "2026-11-16"
  5/6/2026 = "2026-06-05"
  primeiro de maio = "2027-05-01"
  daqui a duas semanas = "2026-09-07"
  há 3 dias = "2026-08-21"
  no dia 15 = "2026-09-15"
  próxima sexta-feira ! ambiguous
  não amanhã ! not_a_date
  sexta ou sábado ! ambiguous
  próxima semana ! no_day`,
  { language },
);

answers(
  'time',
  `
  sete e meia = "19:30"
  quinze para as nove = "20:45"
  oito da noite = "20:00"
  às 8 da manhã = "08:00"
  às 10:38 = "10:38"
  às 17 horas = "17:00"
  meio-dia = "12:00"
  às oito e vinte = "20:20"
  por volta das oito ! not_a_time
  depois das oito ! not_a_time
  às oito ou às nove ! ambiguous
  às 25 ! not_a_time`,
  { language },
);

answers(
  'datetime',
  `
  amanhã às 17 horas = "2026-08-25T17:00:00Z"
  16 de novembro de 2026 às 10:38 = "2026-11-16T10:38:00Z"
  hoje à noite às 8 = "2026-08-24T20:00:00Z"
  amanhã às 9 da manhã = "2026-08-25T09:00:00Z"
  daqui a meia hora = "2026-08-24T12:30:00Z"
  sexta ao meio-dia = "2026-08-28T12:00:00Z"
  amanhã ! no_time
  não amanhã às 9 ! not_a_datetime
  amanhã depois das 9 ! not_a_datetime`,
  { language },
);

answers(
  'enum',
  `
  a vermelha = "vermelha"
  a vermelha, por favor = "vermelha"
  quero a azul = "azul"
  Vermelha. = "vermelha"
  gostaria de a vermelha = "vermelha"
  a vermelha ou a azul ! not_a_choice
  não a vermelha ! not_a_choice
  tudo exceto a vermelha ! not_a_choice
  vermelhas ! not_a_choice`,
  { language, choices: ['vermelha', 'azul'] },
);

answers(
  'list',
  `
  chá e leite = ["chá","leite"]
  chá, leite e açúcar = ["chá","leite","açúcar"]
  chá = ["chá"]
  chá; leite = ["chá","leite"]
  erva = ["erva"]
  chá and leite = ["chá and leite"]
  , ! not_a_list
  [] ! not_a_list`,
  { language },
);

answers(
  'email',
  `
  ada@example.com = "ada@example.com"
  o meu email é ada@example.com = "ada@example.com"
  ada@example.com obrigado = "ada@example.com"
  sim, ada@example.com = "ada@example.com"
  não ada@example.com ! not_an_email
  nunca ada@example.com ! not_an_email
  ada@example.com ou bob@example.com ! ambiguous
  ada arroba example ! not_an_email`,
  { language },
);

answers(
  'url',
  `
  example.pt = "https://example.pt"
  é example.pt = "https://example.pt"
  example.pt por favor = "https://example.pt"
  https://example.pt/a = "https://example.pt/a"
  não example.pt ! not_a_url
  example.pt ou example.com ! ambiguous
  1,5 ! not_a_url
  Não. ! not_a_url`,
  { language },
);

// What puts right what was understood before.
answers(
  'date',
  `
  não, eu disse sexta-feira = "2026-08-28"
  não, não sexta-feira ! not_a_date`,
  { language },
);
answers(
  'integer',
  `
  não, quis dizer quatro = 4`,
  { language },
);
