// Written by ralph for a server of its own: what tools run has no use for the
// password of that server.
export const RalphGuard = async () => ({
  "shell.env": async (_: unknown, { env }: { env: Record<string, string> }) => {
    env.OPENCODE_SERVER_PASSWORD = ""
  },
})
