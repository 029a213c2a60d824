package io.lampone.faultlab.work.client;

import java.lang.reflect.InvocationTargetException;

/** Writes the coverage of a process that runs with JaCoCo's agent and may be killed later. */
public final class CoverageDump {

  private static final String AGENT = "org.jacoco.agent.rt.RT";

  private CoverageDump() {}

  /** Appends what was reached since the last call to the agent's file, if there is an agent. */
  public static void write() {
    try {
      Object agent = Class.forName(AGENT).getMethod("getAgent").invoke(null);
      Class.forName("org.jacoco.agent.rt.IAgent")
          .getMethod("dump", boolean.class)
          .invoke(agent, true);
    } catch (ClassNotFoundException e) {
      // It runs without the agent.
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("no coverage from this version of JaCoCo's agent", e);
    }
  }
}
