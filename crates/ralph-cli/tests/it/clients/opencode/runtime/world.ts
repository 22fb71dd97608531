// A client and a `ralph` of which only the plugin knows. The client remembers
// what its events say; what the plugin tells is kept, and answered as a scene
// wants it.
import { EventEmitter } from "node:events"

export const told: any[] = []
export const ended: string[] = []
export const scene = { answer: (_event: any): any => undefined, silent: false }

export const spawn = () => {
  const child: any = new EventEmitter()
  child.stdout = new EventEmitter()
  child.stdout.setEncoding = () => {}
  child.stdin = new EventEmitter()
  child.kill = (signal: string) => void ended.push(signal)
  child.stdin.end = (text: string) => {
    const event = JSON.parse(text)
    told.push(event)
    const said = scene.answer(event)
    if (scene.silent) return
    setImmediate(() => {
      for (const early of said?.early ?? []) child.stdout.emit("data", JSON.stringify(early) + "\n")
      if (said) child.stdout.emit("data", JSON.stringify(said))
      child.emit("close", said?.signal ? null : 0, said?.signal ?? null)
    })
  }
  return child
}

export const world = () => {
  const sessions = new Map<string, any>()
  const messages = new Map<string, any>()
  const busy = new Map<string, any>()
  const prompts: any[] = []
  const toasts: any[] = []

  const hear = ({ type, properties }: any) => {
    if (type === "session.created") sessions.set(properties.info.id, properties.info)
    if (type === "session.status") busy.set(properties.sessionID, properties.status)
    if (type === "session.deleted") sessions.delete(properties.info.id)
    if (type === "message.updated") {
      const { id } = properties.info
      messages.set(id, { parts: messages.get(id)?.parts ?? [], info: properties.info })
    }
    if (type === "message.part.updated") {
      const parts = messages.get(properties.part.messageID)?.parts ?? []
      const at = parts.findIndex((part: any) => part.id === properties.part.id)
      if (at < 0) parts.push(properties.part)
      else parts[at] = properties.part
    }
  }

  const client = {
    session: {
      get: async ({ path }: any) => ({ data: sessions.get(path.id) }),
      messages: async ({ path, query }: any) => {
        const all = [...messages.values()]
        return { data: all.filter(({ info }) => info.sessionID === path.id).slice(-query.limit) }
      },
      promptAsync: async (sent: any) => {
        prompts.push(sent)
        const info = { id: `msg_${prompts.length + 1}`, role: "assistant", sessionID: sent.path.id }
        hear({ type: "message.updated", properties: { info } })
        return {}
      },
    },
    _client: { get: async () => ({ data: Object.fromEntries(busy) }) },
    tui: { showToast: async ({ body }: any) => void toasts.push(body) },
  }
  return { client, hear, prompts, toasts }
}

// Returns once the plugin has nothing left to do but to wait for a timer.
export const quiet = async () => {
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve))
}
