// Portuguese: letters, digits and symbols as they are said.
import type { SpellingWords } from '../spelling-words.ts';

export const ptSpelling: SpellingWords = {
  symbols: {
    '@': 'arroba; at; aroba',
    '.': 'ponto; dot',
    _: 'underline; sublinhado; underscore; traco baixo; traco inferior; hifen baixo; sublinha; underlaine; traco em baixo',
    '-': 'hifen; traco; menos; tracinho; sinal de menos; ifen; traco do meio',
    '+': 'mais; sinal de mais',
    '/': 'barra; slash; barra inclinada',
    ':': 'dois pontos',
    '#': 'cardinal; hashtag; jogo da velha',
    '=': 'igual; sinal de igual',
    '&': 'e comercial',
    '?': 'ponto de interrogacao; interrogacao',
    '~': 'til',
  },
  letters: {
    w: 'dablio; dabliu; duplo v; duplo ve; double u; dáblio; dablyo; vê duplo; ve duplo; v duplo',
    www: 'tres dablios; triplo w; tres w; triplo dablio; tres vezes w; tres dabliu; dablio dablio dablio',
    y: 'ipsilon; ipsilone',
    h: 'aga',
    j: 'jota',
    k: 'ka; capa',
    l: 'ele',
    m: 'eme',
    n: 'ene',
    r: 'erre',
    s: 'esse',
    f: 'efe',
    x: 'xis',
    z: 'ze',
    q: 'que',
    http: 'aga te te pe; h te te pe',
    https: 'aga te te pe esse; h te te pe s',
  },
  twice: 'duplo; dupla; dobro; duas vezes; dobrado',
  thrice: 'triplo; tripla; tres vezes',
  zero: 'zero',
  as: 'de; como; como em; com',
  carriers:
    '([o|a] meu|[a] minha|o nosso|o|a) ((e mail|email|mail|correio eletronico) [e]|endereco [de email|de e mail|eletronico]|site|pagina [web]|numero [de telefone|de celular|de telemovel]|telefone|celular|telemovel|fixo) (e|seria) [o|a]; (e|seria) [o|a]; (pode|podem) (me contatar|me ligar|me escrever|ligar|escrever|contactar me|ligar me) (para|no|em|pelo|pro); (ligue|escreva) (para|pro); sim; claro; ok; bom; entao; eh; email; e mail; endereco; numero; telefone; o numero; meu numero e o; sim e; ola; com certeza; esta bem; anota ai; anote',
  extension: 'ramal; extensao',
  noPart:
    'meu; minha; o; os; as; enviar; envie; escreva; escrever; contato; ou; voce; eu; sou; em; com; para; de; do; da; nosso; nos; me; era; sera; se; so; nao; endereco; mail; email; tenho; mas; usar; use; ir; visite; ver; por; mande; mandar; no; na; pode; seria; um',
};
