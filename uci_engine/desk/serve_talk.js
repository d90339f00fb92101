// The connection to the server: questions with numbers, answers by the same numbers.
"use strict";

const makeTalk = ({ onOpen, onClose }) => {
  const LONGEST_PAUSE = 8000; // milliseconds between two attempts
  const waiting = new Map(); // by number: what to do with an answer, and with a complaint
  let socket = null;
  let number = 0;
  let pause = 500;

  const drop = (reason) => {
    for (const { fail } of waiting.values()) fail(new Error(reason));
    waiting.clear();
  };

  const hear = (event) => {
    const message = JSON.parse(event.data);
    const asked = waiting.get(message.id);
    if (!asked) return;
    if (!asked.isStream || message.kind === "error") waiting.delete(message.id);
    if (message.kind === "error") asked.fail(new Error(message.text));
    else asked.take(message);
  };

  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/socket`);
    socket.addEventListener("open", () => {
      pause = 500;
      onOpen();
    });
    socket.addEventListener("message", hear);
    socket.addEventListener("close", (event) => {
      socket = null;
      drop("the connection is lost");
      onClose(event.reason || "no connection to the server; trying again …");
      setTimeout(connect, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    });
  };

  const isOpen = () => socket !== null && socket.readyState === WebSocket.OPEN;

  const send = (act, fields) => {
    number += 1;
    socket.send(JSON.stringify({ id: number, do: act, ...fields }));
    return number;
  };

  // One answer.
  const ask = (act, fields = {}) => new Promise((take, fail) => {
    if (isOpen()) waiting.set(send(act, fields), { take, fail, isStream: false });
    else fail(new Error("there is no connection to the server"));
  });

  // Many answers, until the next one is asked for.
  let stream = null;
  const follow = (act, fields, take, fail) => {
    waiting.delete(stream);
    stream = null;
    if (!isOpen()) return;
    stream = send(act, fields);
    waiting.set(stream, { take, fail, isStream: true });
  };

  // Nothing is wanted of a search any more.
  const end = () => {
    if (stream === null) return;
    waiting.delete(stream);
    stream = null;
    if (isOpen()) send("stop");
  };

  connect();
  return { ask, follow, end, isOpen };
};
