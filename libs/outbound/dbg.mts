import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { Pool } from 'undici';
import { createAddressPolicy, createOutbound } from './src/index.ts';
const RECEIVER = `const server = require('node:http').createServer((q, r) => { q.resume().on('end', () => r.end('{"ok":true}')); });server.keepAliveTimeout=60000;server.listen(0,'127.0.0.1',()=>console.log(server.address().port));`;
const child = spawn('taskset', ['-c', '1', process.execPath, '-e', RECEIVER], { stdio: ['ignore', 'pipe', 'inherit'] });
const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
const url = `http://127.0.0.1:${port}/hook`;
const conns = Number(process.env.CONNS ?? 100);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: conns });
const outbound = createOutbound({ policy: createAddressPolicy({ allow: ['127.0.0.1'] }), log: pino() });
const body='x'.repeat(2000); const headers = { 'content-type': 'application/json', 'x-signature-256': `sha256=abcdefabcdefabcdefabcdefabcdef` };

import { createLine } from './src/line.ts'; import { createGuard } from './src/guard.ts';
const O={pipelining:1,allowH2:false,keepAliveTimeout:4000,keepAliveMaxTimeout:15000,maxRequestsPerClient:1000,maxHeaderSize:16384,headersTimeout:0,bodyTimeout:0};
const mk=(o:object)=>new Pool(`http://127.0.0.1:${port}`, { connections: conns,...o });
const p2=mk(O); const p4=mk({...O,headersTimeout:300000,bodyTimeout:300000}); const p5=mk({maxRequestsPerClient:1000});
const guard=createGuard({policy:createAddressPolicy({ allow: ['127.0.0.1'] }), log: pino()});
const p3=mk({...O,factory:(u:URL,o:never)=>createLine(u,o,guard)});
const viaD=(p:Pool)=>()=>new Promise(r=>{p.dispatch({path:'/hook',method:'POST',headers,body,delivery:{}} as never,{onRequestStart(){},onResponseStart(){},onResponseData(){},onResponseEnd(){r(1)},onResponseError(){}})});
const S: Record<string, () => Promise<unknown>> = {
 bare: async()=>{const a=await pool.request({path:'/hook',method:'POST',headers,body});await a.body.text()},
 dispatch: ()=>new Promise(r=>{pool.dispatch({path:'/hook',method:'POST',headers,body},{onRequestStart(){},onResponseStart(){},onResponseData(){},onResponseEnd(){r(1)},onResponseError(){}})}),
 line: viaD(p3),
 deliver: ()=>outbound.deliver({url,headers,body,timeoutMs:15000}),
};
const res: Record<string, number[]> = {};
const only=process.env.ONLY;
for (let r=0;r<(only?6:12);r++) for (const [n,f] of Object.entries(S)) { if(only&&n!==only) continue;
 const c=process.cpuUsage(); let k=0; const N=12000;
 await Promise.all(Array.from({length:100},async()=>{while(k<N){k++;await f()}}));
 const d=process.cpuUsage(c); if(r>1)(res[n]??=[]).push((d.user+d.system)/N);
}
for(const n in res){const v=res[n].sort((a,b)=>a-b);console.log(n,'min',v[0].toFixed(1),'median',v[v.length>>1].toFixed(1))}
await outbound.close();await Promise.all([pool,p2,p3,p4,p5].map(p=>p.close()));child.kill();
