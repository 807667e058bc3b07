// Portuguese: words that change a value in a sentence, and words that do not.
import type { SentenceWords } from '../sentence-words.ts';

export const ptSentence: SentenceWords = {
  changes:
    'nao; nem; nunca; jamais; nada; ninguem; nenhum; nenhuma; tampouco; sem; exceto; salvo; em vez; ao inves; cancelar; mal;' +
    'ou; entre; qualquer; ambos; ambas; depende; tanto faz; algum; alguma; conforme; seja;' +
    'aproximadamente; cerca; por volta; volta das; mais ou menos; uns; umas; quase; talvez; provavelmente; possivelmente; par; casal; casais; duzia; varios; varias; poucos; alguns; algumas; dezena; perto; la pelas; tipo; meio; dobro; vezes; vez; e pouco; e tal; um pouco; acho; acredito; quem sabe; como; sei la; em torno; torno; so que;' +
    'cada; todo; toda; todos; todas; diariamente; diario; semanal; mensal; sempre; muitas vezes; por; as vezes; geralmente; aos sabados; aos domingos; sabados; domingos; segundas; tercas; quartas; quintas; sextas; costumo; normalmente;' +
    'se; a menos; caso; desde que; mas; porem; senao; outro; outra; outros; outras; adicional; poderia; deveria; teria; da ultima vez; a ultima vez; a proxima vez; da proxima vez; do mes; do ano; da semana; vespera; mais um; mais uma; ainda; coisa',
  limits:
    'antes; depois; apos; ate; desde; partir; no minimo; no maximo; pelo menos; minimo; maximo; mais de; menos de; mais que; mais tarde; mais cedo; durante; inicio; comeco; fim; final; meados; meio de; seguinte; posterior; dentro do; acima; abaixo; passadas; passado das; em diante',
  meals: 'cafe; almoco; jantar; lanche; ceia; pequeno almoco',
  particles: '',
  denials: 'nao; nao na; nao no; nao as; nao e; nao foi',
  questions:
    'quando; onde; quem; qual; quais; quanto; quanta; quantos; quantas; por que; porque e; que dia; que horas; a que; que data; posso saber; saber; perguntar; pergunta; pode me; podem; poderiam; voces; tem como; seria possivel; e possivel; sera que; me diga; diga me; de onde; abrem; fecham; gostaria de saber; o que',
  questionOpenings:
    '(e|esta|estao|sao|ha|tem|posso|podemos|pode|podem|tenho|devo|custa|sai|chega|da) (o|a|os|as|eu|voce|voces|um|uma|alguem|meu|minha|para|pra|de|que|possivel|como)',
  repairs:
    'nao nao; ah nao; ai nao; nao espera; espera; nao espere; espere; desculpa; nao desculpa; desculpe; nao desculpe; desculpa nao; desculpe nao; perdao; nao perdao; quero dizer; nao quero dizer; quis dizer; nao quis dizer; alias; nao alias; melhor; nao melhor; ou melhor; melhor dizendo; na verdade; nao na verdade; na verdade nao; corrigindo; correcao; me enganei; nao me enganei; enganei me; digo; nao digo; pera; nao pera; perai; isto e; nao isto e; um momento; nao um momento; peraí',
  plainYes: 'sim; claro que sim; com certeza',
  plainNo: 'nao',
  contrasts: 'mas; mas sim; mas na; sim; e sim; senao',
  greetings: 'bom dia; boa (tarde|noite); bom fim de semana; ate logo; tudo bem; boa semana',
  small:
    'vem; vir; venho; a; ao; aos; as; o; os; em; no; na; nos; nas; de; do; da; dos; das; um; uma; e; com; para; pra; por favor; me; nos; se faz favor; te; lhe; meu; minha; meus; minhas; nosso; nossa; seu; sua; sao; sou; somos; era; foi; foram; sera; serao; seremos; estou; estamos; esta; estao; estava; tenho; temos; tem; eu; nos; ele; ela; eles; voce; aqui; ai; la; obrigado; obrigada; entao; tambem; ja; so; total; tudo; exatamente; que; porque; pois; vai; vamos; vou; hoje; amanha; ontem; chegar; vir; sair; reservar; bem; ok; perfeito; chegamos; chego; agora; atras; conosco; queria; gostaria',
  people:
    'pessoas; pessoa; adultos; adulto; convidados; convidado; hospedes; hospede; viajantes; viajante; passageiros; passageiro; amigos; homens; mulheres; clientes; participantes; visitantes; lugares; gente; de nos',
  labels:
    'quarto numero; numero; n; voo; portao; pagina; secao; capitulo; rua; estrada; rodovia; autoestrada; onibus; autocarro; linha; andar; apartamento; assento; fila; terminal; plataforma; canal; versao; passo; opcao; mesa numero; caso; sinistro; apolice; conta; pedido; bilhete; referencia; reserva; codigo; ramal; extensao; edificio; casa; modelo; classe; tipo; tamanho; artigo; zona; sala; avenida; quilometro; fiat; br; a; suite',
  articles: 'um; uma',
  dayWords:
    'quarto; manha; manhazinha; tarde; tardinha; noite; noites; madrugada; meio dia; meia noite; amanhecer; anoitecer; pequeno; horas; hora; minutos; minuto; am; pm; h; noitinha',
  doubtful:
    'segunda; terca; quarta; quinta; sexta; dom; set; mai; mar; fev; out; dez; segundo; quarto; marco; primeiro',
  dayPrepositions: 'dia; no dia; para o dia; do dia; na; para; em; pra; nesta; esta',
  feasts:
    'decimo; vigesimo; trigesimo; (segunda|terca|quarta|quinta|sexta) [feira] (santa|gorda|de cinzas|de carnaval|negra); (roupa|roupas|fato|vestido|missa|almoco|mercado|condutor|motorista|pintor) de domingo; (sabado|domingo) (de pascoa|de ramos|de aleluia|de carnaval); (primeira|segunda|terceira|quarta|ultima|primeiro|segundo|terceiro|quarto|ultimo) (segunda|terca|quarta|quinta|sexta|sabado|domingo|vez); (segunda|quarta|quinta|sexta|terca) (vez|parte|opcao|pessoa|via)',
  buts: 'mas; porem; embora; exceto; ou; talvez; se; depende; em parte; nao tenho certeza; e nao; e sim; so se; contudo',
  undecided:
    'nao (sei|tenho certeza|tenho ideia|faco ideia|lembro|me lembro|saberia|importa|tem problema|ha problema|posso dizer); sei la; sim e nao; nao e sim; talvez; quem sabe; sem problema; sem problemas; nenhum problema',
  requests: '(posso|podemos|pode|poderia|podia) [me|nos] (reservar|marcar|fazer|agendar)',
  corrects: 'mas; antes; melhor; (eu disse|quis dizer|queria dizer)',
  past: 'estive; estivemos; estava; era; fui; fomos; perdi; perdemos; esqueci; deixei; comi; aconteceu; vim; viemos; foi',
  parties: 'mesa para; somos; seremos; grupo de',
};
