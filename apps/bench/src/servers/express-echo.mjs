// What Parley's HTTP is measured against: a bare Express 5 that answers a JSON body with itself, as
// its documentation writes it.
import express from 'express';

const app = express();
app.use(express.json());
app.post('/', (request, response) => {
  response.json(request.body);
});
app.listen(Number(process.argv[2]), '127.0.0.1');
