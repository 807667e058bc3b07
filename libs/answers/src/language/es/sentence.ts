// Spanish: words that change a value in a sentence, and words that do not.
import type { SentenceWords } from '../sentence-words.ts';

export const esSentence: SentenceWords = {
  changes:
    'no; ni; nunca; jamas; nada; nadie; ningun; ninguno; ninguna; tampoco; sin; excepto; salvo; menos; en vez; en lugar; cancelar; apenas;' +
    'o; u; bien sea; entre; cualquier; cualquiera; ambos; ambas; depende; segun; da igual; alguno; alguna; algun;' +
    'aproximadamente; alrededor; mas o menos; unos; unas; cerca; casi; quizas; quiza; tal vez; probablemente; posiblemente; a lo mejor; par; pareja; parejas; docena; varios; varias; pocos; algunos; algunas; decena; como a; como; sobre; hacia; a eso; eso de; tipo; medio; media; doble; veces; vez; y pico; y algo; un poco; creo; no mas; supongo;' +
    'cada; todos; todas; diario; diariamente; semanal; mensual; siempre; a menudo; por; a veces; los lunes; los martes; los miercoles; los jueves; los viernes; los sabados; los domingos; sabados; domingos; habitualmente;' +
    'si; a menos; en caso; siempre que; siempre y cuando; pero; aunque; sino; otro; otra; otros; otras; adicional; podria; deberia; hubiera; la ultima vez; la proxima vez; del mes; del ano; vispera; algo',
  limits:
    'antes; despues; hasta; desde; partir; como minimo; como maximo; al menos; por lo menos; minimo; maximo; mas de; menos de; mas que; mas tarde; mas temprano; tras; durante; principios; finales; mediados; a principio; fin de; siguiente; posterior; dentro del; encima; debajo; luego de; pasadas; pasado las',
  meals: 'desayuno; almuerzo; comida; cena; merienda',
  particles: '',
  denials: 'no; no el; no a las; no los; no la; no fue',
  questions:
    'cuando; donde; quien; cual; cuales; cuanto; cuanta; cuantos; cuantas; por que; que dia; que hora; a que hora; que fecha; hay; puedo saber; quiero saber; quisiera saber; saber; preguntar; pregunta; puede; pueden; podrian; tienen; tiene usted; seria posible; es posible; dime; digame; de donde; abren; cierran',
  questionOpenings:
    '(es|esta|estan|son|hay|puedo|podemos|puede|pueden|tienen|tienes|puedes|se puede|debo|debemos|sale|salen|llega|cuesta) (el|la|los|las|yo|usted|ustedes|un|una|alguien|mi|su|que|de|al|venir|ir|llegar|salir|hacer|cambiar|reservar)',
  repairs:
    'no no; ay no; no espera; espera; no espere; espere; perdon; no perdon; perdon no; ay perdon; disculpe; no disculpe; disculpa; quiero decir; no quiero decir; digo; no digo; quise decir; mejor; no mejor; mejor dicho; o mejor; o mejor dicho; mas bien; no mas bien; bueno no; bueno mejor; la verdad no; corrijo; correccion; me equivoque; no me equivoque; lo siento; no lo siento; en realidad; no en realidad; en realidad no; rectifico; que va; un momento; no un momento',
  plainYes: 'si; sip; claro que si',
  plainNo: 'no',
  contrasts: 'sino; sino el; sino a; mejor; pero si',
  greetings:
    'buenos dias; buen dia; buenas (tardes|noches); muy buenas; buenas; hasta luego; buen fin de semana; que tal',
  small:
    'viene; vienen; vengo; a; al; en; de; del; el; la; los; las; lo; un; una; y; con; para; por favor; me; nos; se; te; le; mi; mis; su; sus; nuestro; nuestra; es; son; soy; somos; era; fue; fueron; sera; seran; seremos; estoy; estamos; esta; estan; estaba; he; hemos; ha; han; yo; nosotros; el; ella; ellos; usted; aqui; ahi; alli; gracias; entonces; tambien; ya; solo; total; todo; exactamente; que; porque; pues; va; vamos; voy; hoy; manana; ayer; llegar; venir; salir; reservar; bien; ok; vale; perfecto; llegamos; llego; muy; ahora; vendremos; iremos',
  people:
    'personas; persona; adultos; adulto; invitados; invitado; huespedes; huesped; viajeros; viajero; pasajeros; pasajero; comensales; amigos; hombres; mujeres; clientes; participantes; visitantes; cubiertos; gente; de nosotros',
  labels:
    'habitacion; numero; n; vuelo; puerta; pagina; seccion; capitulo; calle; carretera; autopista; autobus; bus; linea; piso; planta; apartamento; departamento; asiento; fila; terminal; anden; canal; version; paso; opcion; mesa numero; caso; siniestro; poliza; cuenta; pedido; boleto; billete; referencia; reserva; codigo; extension; edificio; casa; modelo; clase; tipo; talla; articulo; zona; sala; a; avenida; kilometro; seat; ruta',
  articles: 'un; uno; una',
  dayWords:
    'cuarto; manana; tarde; tardes; noche; noches; madrugada; mediodia; medianoche; amanecer; atardecer; am; pm; horas; hora; minutos; minuto; mananita; tardecita',
  doubtful: 'lun; mar; mie; jue; vie; sab; dom; segundo; mayo; primero; set; may; ago',
  dayPrepositions: 'el; para el; el dia; del; al',
  feasts:
    'decimo; vigesimo; trigesimo; (lunes|martes|miercoles|jueves|viernes|sabado|domingo) (santo|de pascua|de ramos|de ceniza|negro|de gloria|de resurreccion|de carnaval); (primer|segundo|tercer|cuarto|ultimo) (lunes|martes|miercoles|jueves|viernes|sabado|domingo); (ropa|traje|vestido|misa|paella|comida|mercado|pintor|conductor) (de|del) domingo; (santo|placido|don|senor|senora) domingo',
  buts: 'pero; aunque; excepto; salvo; o; quizas; tal vez; depende; en parte; no estoy seguro; y no; y si; sin embargo; solo si; segun',
  undecided:
    'no (lo se|se|estoy seguro|estoy segura|tengo idea|se que decir|sabria|sabemos|me acuerdo|recuerdo|importa|hay problema|pasa nada|puedo decir); ni idea; si y no; no y si; quien sabe; tal vez; quizas; no lo recuerdo',
  requests:
    '[me|nos] (puedo|podria|podriamos|podemos|puede|puedes|pueden|podrian|quisiera) (reservar|hacer|pedir|apuntar|reservarme|reservarnos|reservarle|dar|poner|cambiar) [me|nos]',
  corrects:
    'pero; pero (el|a|para); sino; mejor; (dije|decia|queria decir|quise decir|digo); que sea; ponga; cambielo a',
  past: 'fue; fui; fuimos; era; eramos; estuve; estuvimos; estaba; estabamos; perdi; perdimos; olvide; olvidamos; deje; dejamos; tuve; tuvimos; ocurrio; comi; cene; pague; pagamos; vine; vinimos',
  parties: 'mesa para; somos; seremos; vamos a ser; grupo de',
};
