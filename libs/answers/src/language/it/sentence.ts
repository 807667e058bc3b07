// Italian: words that change a value in a sentence, and words that do not.
import type { SentenceWords } from '../sentence-words.ts';

export const itSentence: SentenceWords = {
  changes:
    'non; no; ne; nessuno; nessuna; nessun; niente; nulla; mai; senza; tranne; eccetto; salvo; invece; al posto; annullare; nemmeno; neanche; appena;' +
    'o; oppure; tra; fra; sia; qualsiasi; qualunque; entrambi; entrambe; ovvero; dipende; secondo; indifferente; altrimenti;' +
    'circa; verso; intorno; quasi; forse; magari; probabilmente; un paio; paio; coppia; coppie; qualche; alcuni; alcune; diversi; parecchi; decina; dozzina; ventina; trentina; centinaio; piu o meno; a occhio; pressappoco; sui; sulle; all incirca; poco; mezzo; mezza; doppio; volte; volta; credo; penso; come; tipo; direi; suppergiu;' +
    'ogni; tutti; tutte; ogni giorno; quotidiano; settimanale; mensile; sempre; spesso; al giorno; per notte; di solito; ciascuno; i lunedi; i martedi; i mercoledi; i giovedi; i venerdi; i sabati; le domeniche; sabati; domeniche; al mese; a settimana;' +
    "se; a meno; nel caso; purche; ma; pero; anche se; bensi; altro; altra; altri; altre; ancora; in piu; aggiuntivo; potrei; dovrei; avrei; l'ultima volta; la prossima volta; del mese; dell'anno; della settimana; vigilia; qualcosa",
  limits:
    'prima; dopo; fino; finche; entro; da; dal; dalle; dalla; dall; a partire; almeno; al massimo; al minimo; minimo; massimo; piu di; meno di; piu che; piu tardi; piu presto; oltre; durante; inizio; fine; meta; in poi; successivo; seguente; sotto; sopra; passate',
  meals: 'colazione; pranzo; cena; merenda; aperitivo',
  particles: '',
  denials: 'non; non il; non alle; non per; non la',
  questions:
    'quando; dove; chi; quale; quali; qual; quanto; quanta; quanti; quante; come mai; perche; che ora; che ore; a che; che giorno; che data; cosa; sapere; chiedere; domanda; posso sapere; potete; potreste; puo; avete; sarebbe possibile; e possibile; mi dica; mi sa; di dove; aprite; chiudete; c e; ci sono posti',
  questionOpenings:
    '(e|sono|ha|hai|avete|posso|possiamo|puoi|puo|si puo|devo|dobbiamo|costa|parte|arriva) (il|la|lo|l|un|una|io|lei|voi|loro|qualcuno|possibile|cambiare|venire|prenotare|avere)',
  repairs:
    'no no; ah no; no aspetti; aspetti; no aspetta; aspetta; scusi; no scusi; scusa; no scusa; scusi no; scusate; no scusate; mi scusi; no mi scusi; voglio dire; no voglio dire; volevo dire; no volevo dire; intendo; no intendo; cioe; no cioe; anzi; no anzi; meglio; no meglio; o meglio; piuttosto; no piuttosto; mi correggo; correzione; mi sono sbagliato; mi sono sbagliata; in realta; no in realta; pardon; facciamo; no facciamo; un attimo; no un attimo; mi sbaglio; perdoni',
  plainYes: 'si; certo; certo che si',
  plainNo: 'no',
  contrasts: 'ma; bensi; ma il; ma alle; ma piuttosto',
  greetings:
    'buongiorno; buonasera; buon (giorno|pomeriggio|weekend); buona (sera|notte|giornata|serata); salve',
  small:
    'a; al; alla; alle; all; in; nel; nella; di; del; della; dei; degli; delle; d; il; lo; la; i; gli; le; l; un; una; uno; e; con; per; su; mi; ci; si; ti; vi; mio; mia; miei; nostro; nostra; suo; sua; sono; siamo; sei; siete; era; ero; eravamo; sara; saremo; saranno; stato; stata; ho; abbiamo; ha; hanno; io; noi; lui; lei; loro; qui; qua; grazie; allora; anche; gia; solo; totale; tutto; tutti noi; che; perche; poi; va; vado; oggi; domani; ieri; arrivare; venire; partire; prenotare; bene; ok; perfetto; arriviamo; arrivo; esattamente; persone in; stasera; ed; vorremmo; vorrei',
  people:
    'persone; persona; adulti; adulto; ospiti; ospite; viaggiatori; viaggiatore; passeggeri; passeggero; amici; uomini; donne; clienti; partecipanti; visitatori; coperti; invitati; di noi; commensali',
  labels:
    'camera; stanza; numero; n; volo; uscita; pagina; sezione; capitolo; via; strada; autostrada; autobus; linea; piano; appartamento; posto; fila; terminal; binario; canale; versione; passo; opzione; tavolo numero; caso; sinistro; polizza; conto; ordine; biglietto; riferimento; prenotazione; codice; interno; edificio; casa; modello; classe; tipo; taglia; articolo; zona; sala; a; fiat; viale; piazza; gate',
  articles: 'un; uno; una',
  dayWords:
    'quarto; mattina; mattino; mattinata; pomeriggio; sera; serata; notte; mezzogiorno; mezzanotte; alba; tramonto; ore; ora; minuti; minuto; am; pm',
  doubtful: 'lun; mar; mer; gio; ven; sab; dom; ora; set; mag; gen; adesso; primo; secondo; marzo',
  dayPrepositions: 'il; per il; del; dal; al',
  feasts:
    "(vestito|vestiti|abito|messa|pranzo|mercato|pittore|autista) (della|di|del) (sabato|domenica); (lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica) (santo|santa|dell'angelo|di pasqua|delle palme|delle ceneri|grasso|nero); (primo|prima|secondo|seconda|terzo|terza|quarto|quarta|ultimo|ultima) (lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica)",
  buts: 'ma; pero; tuttavia; anche se; tranne; o; forse; magari; se; dipende; in parte; non sono sicuro; e no; e si; solo se',
  undecided:
    'non (lo so|so|sono sicuro|sono sicura|ne ho idea|saprei|ricordo|mi ricordo|importa); boh; nessuna idea; si e no; no e si; non c e problema; nessun problema; chi lo sa; forse',
  requests:
    '[mi|ci] (posso|possiamo|potrei|potremmo|puo|potrebbe) (prenotare|riservare|avere|fissare|prenotarmi|prenotarci)',
  corrects: 'ma; bensi; piuttosto; meglio; (dicevo|volevo dire|ho detto); facciamo',
  past: 'ero; era; eravamo; stato; stata; stati; perso; dimenticato; lasciato; mangiato; successo; venuto; venuti',
  parties: 'tavolo per; siamo [in]; saremo [in]; gruppo di',
};
