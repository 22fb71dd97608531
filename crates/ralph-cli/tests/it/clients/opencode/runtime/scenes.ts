// What the plugin does with answers, without a model: one object per scene,
// with all that was told and all that reached the client.
import { Ralph } from "./ralph.ts"
import { ended, quiet, scene, told, world } from "./world.ts"

const session = "ses_1"
const account: Record<string, unknown> = {}
const idle = { type: "session.idle", properties: { sessionID: session } }
const spoke = { id: "msg_1", role: "assistant", sessionID: session, agent: "build" }
const action = (what: string, more = {}) => ({ v: 1, do: what, text: "go on", ...more })

type Answers = Record<string, any>

type Act = (hooks: any, hear: (event: any) => void) => Promise<unknown>

const play = async (name: string, answers: Answers, act: Act) => {
  const { client, hear, prompts, toasts } = world()
  hear({ type: "session.created", properties: { info: { id: session } } })
  hear({ type: "message.updated", properties: { info: spoke } })
  scene.answer = ({ type }) => answers[type]
  const hooks: any = await Ralph({ client, directory: "/p" })
  await quiet()
  told.length = 0
  const came = await act(hooks, hear)
  await new Promise((resolve) => setTimeout(resolve, 60))
  await quiet()
  account[name] = {
    told: told.map((event) => event.type),
    ends: told.filter((event) => event.message).map((event) => event.message.id),
    prompts: prompts.map((sent) => sent.body.parts[0].text),
    toasts: toasts.map((toast) => toast.message),
    came,
  }
}

const typed = (text: string) => ({ parts: [{ type: "text", text }] })
const soon = { "session.idle": action("prompt", { after_ms: 20 }) }

await play("goes on", soon, (hooks) => hooks.event({ event: idle }))
const hinted = { ...soon["session.idle"], early: [action("none", { toast: { text: "soon", variant: "info" } })] }
await play("shows what comes before an answer", { "session.idle": hinted }, (hooks) =>
  hooks.event({ event: idle }),
)
await play("gives way to a word", soon, async (hooks) => {
  await hooks.event({ event: idle })
  await quiet()
  await hooks["chat.message"]({ sessionID: session }, typed("wait"))
})
await play("gives way to a command", soon, async (hooks) => {
  await hooks.event({ event: idle })
  await quiet()
  const input = { command: "cancel-ralph", sessionID: session, arguments: "" }
  await hooks["command.execute.before"](input, typed(""))
})
await play("gives way to the end of the session", soon, async (hooks) => {
  await hooks.event({ event: idle })
  await quiet()
  const properties = { sessionID: session, info: { id: session } }
  await hooks.event({ event: { type: "session.deleted", properties } })
})
const status = { command: "ralph", sessionID: session, arguments: "status" }
const aside = { ...soon, "command.execute.before": action("replace", { aside: true }) }
const off = { ...soon, "command.execute.before": action("replace", { aside: true, off: true }) }
await play("goes on although a question was answered", aside, async (hooks) => {
  await hooks.event({ event: idle })
  await quiet()
  await hooks["command.execute.before"](status, typed(""))
})
await play("is called off by an answer", off, async (hooks) => {
  await hooks.event({ event: idle })
  await quiet()
  await hooks["command.execute.before"](status, typed(""))
})
// A message as the client has it once the plugin has changed its parts.
const asks = async (hooks: any, hear: any) => {
  const { parts } = typed("") as any
  await hooks["command.execute.before"](status, { parts })
  const info = { id: "msg_2", role: "user", sessionID: session }
  hear({ type: "message.updated", properties: { info } })
  for (const part of parts) {
    const properties = { part: { ...part, id: "prt_1", messageID: "msg_2" } }
    hear({ type: "message.part.updated", properties })
  }
}
const replies = (hear: any, id: string) => {
  const info = { id, role: "assistant", sessionID: session, parentID: "msg_2" }
  hear({ type: "message.updated", properties: { info } })
}
await play("leaves out what was said to an aside", aside, async (hooks, hear) => {
  await asks(hooks, hear)
  replies(hear, "msg_3")
  await hooks.event({ event: idle })
})
await play("hears of work that goes on after an aside", aside, async (hooks, hear) => {
  await asks(hooks, hear)
  replies(hear, "msg_3")
  replies(hear, "msg_4")
  await hooks.event({ event: idle })
})
// Gates take their time. Whoever speaks meanwhile need not wait for them.
const judges = async (hooks: any) => {
  await hooks.event({ event: idle })
  while (!told.length) await undefined
}
const says = (hear: any, id: string, role: string) =>
  hear({ type: "message.updated", properties: { info: { id, role, sessionID: session } } })
await play("gives way to a turn that was taken meanwhile", soon, async (hooks, hear) => {
  await judges(hooks)
  await hooks["chat.message"]({ sessionID: session }, typed("and c?"))
  says(hear, "msg_8", "user")
  says(hear, "msg_9", "assistant")
  await hooks.event({ event: idle })
})
await play("gives way to a turn that is under way", soon, async (hooks, hear) => {
  await judges(hooks)
  await hooks["chat.message"]({ sessionID: session }, typed("and c?"))
  says(hear, "msg_8", "user")
  hear({ type: "session.status", properties: { sessionID: session, status: { type: "busy" } } })
})
await play("goes on after a word that nobody answers", soon, async (hooks, hear) => {
  await judges(hooks)
  await hooks["chat.message"]({ sessionID: session }, typed("by the way"))
  says(hear, "msg_8", "user")
})
await play("leaves out a summary from before its prompt", soon, async (hooks, hear) => {
  await hooks.event({ event: idle })
  const info = { id: "msg_5", role: "assistant", sessionID: session, summary: true }
  hear({ type: "message.updated", properties: { info } })
  await hooks.event({ event: idle })
})
await play("is loaded before anybody answers", {}, async () => {
  told.length = 0
  scene.silent = true
  await Ralph({ client: world().client, directory: "/p" })
  scene.silent = false
  return told.map((event) => event.type)
})
await play("asks again who began a session", {}, async (hooks, hear) => {
  const use = { tool: "edit", sessionID: "ses_2", args: {} }
  await hooks["tool.execute.after"](use, { title: "", output: "" })
  hear({ type: "session.created", properties: { info: { id: "ses_2", parentID: session } } })
  await hooks["tool.execute.after"](use, { title: "", output: "" })
  return told.map((event) => event.parent ?? null)
})
await play("knows a client that ends with its turn", {}, async () => {
  const { argv } = process
  const hooks = async (...words: string[]) => {
    process.argv = [...argv.slice(0, 2), ...words]
    return Object.keys(await Ralph({ client: world().client, directory: "/p" })).length > 0
  }
  const known = [
    await hooks("run", "fix it"),
    await hooks("--print-logs", "--log-level", "DEBUG", "run", "fix it"),
    await hooks("--log-level", "DEBUG", "serve"),
    await hooks(),
  ]
  process.argv = argv
  return known
})
const error = { name: "APIError", data: { message: "bad request", statusCode: 400 } }
const broken = { "session.error": action("prompt", { after_ms: 20 }) }
await play("is told of silences as they were", broken, async (hooks) => {
  await hooks.event({ event: { ...idle, type: "session.error", properties: { sessionID: session, error } } })
  await hooks.event({ event: idle })
  await hooks.event({ event: idle })
})
const limited = { "session.idle": action("wake", { after_ms: 10 }) }
const woken = { ...limited, wake: action("prompt", { after_ms: 1 }) }
await play("wakes once", woken, (hooks) => hooks.event({ event: idle }))
await play("wakes for nothing", limited, (hooks) => hooks.event({ event: idle }))
await play("wakes once for the last", woken, async (hooks) => {
  await hooks.event({ event: idle })
  await hooks.event({ event: idle })
})
const worse = { "tool.execute.after": action("append", { text: "\n\nworse" }) }
for (const tool of ["write", "apply_patch", "bash"]) {
  await play(`returns from ${tool}`, worse, async (hooks) => {
    const output = { title: "", output: "done" }
    await hooks["tool.execute.after"]({ tool, sessionID: session, args: {} }, output)
    return output.output
  })
}
const busy = { ...worse, "session.idle": action("prompt", { after_ms: 2000 }) }
await play("returns although a prompt is due", busy, async (hooks) => {
  await hooks.event({ event: idle })
  const output = { title: "", output: "done" }
  await hooks["tool.execute.after"]({ tool: "edit", sessionID: session, args: {} }, output)
  return output.output
})
await play("does not know the words", { "session.idle": { v: 9, do: "prompt" } }, async (hooks) => {
  await hooks.event({ event: idle })
  await hooks.event({ event: idle })
})
const say = async (hooks: any, text: string) => {
  const parts = [{ type: "text", text }]
  await hooks["chat.message"]({ sessionID: session }, { parts })
  return parts[0].text
}
await play("goes on although nobody answers", {}, async (hooks) => {
  scene.silent = true
  ended.length = 0
  const texts = [await say(hooks, "hello"), await say(hooks, "again")]
  scene.silent = false
  return [...texts, ...ended]
})
await play("says which signal ended it", { "chat.message": { signal: "SIGSEGV" } }, (hooks) => say(hooks, "hello"))
await play("says at the first message that it does not fit", { started: { v: 9, do: "none" } }, (hooks) =>
  say(hooks, "hello"),
)
await play("tells of a plan", {}, async (hooks, hear) => {
  const info = { id: "msg_plan", role: "assistant", sessionID: session, agent: "plan" }
  hear({ type: "message.updated", properties: { info } })
  await hooks.event({ event: idle })
  await quiet()
  return told.map((event) => event.mode ?? null)
})
console.log(JSON.stringify(account))
process.exit(0)
