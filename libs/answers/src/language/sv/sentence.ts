// Swedish: words that change a value in a sentence, and words that do not.
import type { SentenceWords } from '../sentence-words.ts';

export const svSentence: SentenceWords = {
  changes:
    'inte; ej; icke; ingen; inget; inga; ingenting; aldrig; varken; utan; forutom; utom; stallet; istallet; avboka; avbestalla; stalla in; knappt;' +
    'eller; antingen; mellan; spelar ingen roll; som helst; valfri; valfritt; bada; bagge; nagon; nagot; nagra; endera; kvittar;' +
    'ungefar; cirka; ca; omkring; runt; kring; runtomkring; nastan; kanske; eventuellt; formodligen; antagligen; troligen; troligtvis; mojligtvis; mojligen; nog; ett par; par; flera; dussin; tjog; typ; halv; halva; halvt; dubbelt; plus; minus; gang; ganger; drygt; dryga; lite; tror; tanker; gissar; snitt; ungefarliga; anderthalv; en och en halv; ett och ett halvt;' +
    'varje; varannan; vartannat; var och varannan; alltid; oftast; ofta; dagligen; per; alla; brukar; mandagar; tisdagar; onsdagar; torsdagar; fredagar; lordagar; sondagar;' +
    'om; ifall; savida; annars; men; fast; dock; annan; annat; andra; extra; ytterligare; dessutom; skulle kunna; borde; (en|ett|tva|tre|fyra|fem|sex|sju|atta|nio|tio) till; i manaden; om aret; afton; juldagen; annandag',
  limits:
    'fore; efter; innan; fran; fran och med; till och med; fram till; tills; sedan; sen; senast; tidigast; minst; hogst; max; maximalt; minimum; mer an; mindre an; fler an; farre an; over; under; tidigare; senare; borjan; slutet; mitten; inom; darefter; dessforinnan; upp till; at; ens; forst; dagen; strax',
  meals: 'frukost; lunch; middag; fika; kvallsmat',
  particles: '',
  denials: 'inte; inte pa; inte klockan; inte den; ej',
  questions:
    'vad; nar; vem; vilken; vilket; vilka; hur; varfor; vart; veta; undrar; fraga; finns det; kan du; kan ni; kunde du; kunde ni; har ni; har du; skulle du; skulle ni; vet du; vet ni; sag mig; hurdan',
  questionOpenings:
    '(kan|kunde|far|maste|ska|skall|vill|ar|var|har|hade|finns|gar|blir|kostar|oppnar|stanger|galler|behover|skulle|kommer|tar|passar|racker|ligger|betyder) (jag|vi|du|ni|han|hon|den|det|de|man|er|min|mitt|en|ett|bussen|taget)',
  repairs:
    'nej vanta; vanta; vanta lite; nej nej; oj nej; ah nej; a nej; nej forlat; forlat; ursakta; nej ursakta; jag menar; jag menade; nej jag menar; nej jag menade; eller nej; nej eller; snarare; rattare sagt; eller rattare sagt; rattelse; fel; nej fel; fel av mig; jag sa fel; nej jag sa fel; hellre; nej hellre; eller hellre; forresten; nej forresten; eller forresten; sorry; nej sorry; na vanta; stopp; andra till',
  plainYes: 'ja; jo; japp; jada; javisst; jajaman',
  plainNo: 'nej; na; nae; nix',
  contrasts: 'utan; utan pa; utan klockan; utan den',
  greetings:
    'god (morgon|dag|kvall|eftermiddag|natt); godmorgon; godkvall; godnatt; (trevlig|ha en trevlig|ha en bra) (dag|kvall|helg)',
  small:
    'i; pa; vid; av; for; med; och; som; att; den; det; de; en; ett; jag; vi; du; ni; han; hon; mig; oss; er; dem; min; mitt; mina; har; dar; tack; da; nu; sa; ocksa; totalt; tillsammans; precis; bara; ja; bra; kommer; kom; boka; reservera; bestalla; hade; blir; blev; var; idag; eftersom; ska; skall; gar; passar; vill; kan; skulle; garna; fungerar; funkar; hande; skedde; stycken; st; hit; fram; in; ut; upp; hem; fa; bestallt; bokat; prick; stals; forsvann',
  people:
    'personer; person; pers; vuxna; vuxen; gaster; gast; man; manniskor; resenarer; resenar; passagerare; vanner; kompisar; besokare; deltagare; av oss',
  labels:
    'rum; nummer; nr; flyg; flight; gate; sida; avsnitt; kapitel; vag; gatan; buss; linje; vaning; lagenhet; plats; stol; rad; terminal; spar; perrong; kanal; version; steg; alternativ; arende; skada; forsakring; konto; order; biljett; referens; bokning; pin; kod; anknytning; postnummer; hus; husnummer; byggnad; modell; klass; storlek; artikel; zon; sal; port; e; volvo; bmw; audi; saab; avdelning; block; trappa; uppgang; rv; riksvag',
  articles: 'en; ett; e',
  dayWords:
    'kvart; natt; natten; morgon; morgonen; bitti; formiddag; formiddagen; eftermiddag; eftermiddagen; kvall; kvallen; midnatt; timme; timmar; timmes; minut; minuter; fm; em; halv; tiden; dagen',
  doubtful: 'jan; maj',
  dayPrepositions: 'den; pa; till den',
  feasts:
    '(svarta|goda) fredagen; (forsta|andra|tredje|fjarde|sista) (mandagen|tisdagen|onsdagen|torsdagen|fredagen|lordagen|sondagen)',
  buts: 'men; fast; dock; forutom; utom; eller; kanske; om; ifall; savida; det beror pa; delvis; inte saker; och nej; och ja',
  undecided:
    'vet (inte|ej); ingen aning; inte saker; nja; kanske; ja och nej; nej och ja; inga problem; ingen fara; vi far se; jasa; jaha; ingen (ide|anledning); det beror pa; spelar ingen roll',
};
