package io.lampone.embedded;

import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isTypeInitializer;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;

/**
 * Records which top-level classes of the project some threads enter, in order: each method of the
 * project reports its class. Changes the classes of this JVM for good, so a test that uses it runs
 * in a separate JVM.
 */
public final class MethodTrace {

  private static final Set<String> ENTERED = new LinkedHashSet<>();

  private static volatile Predicate<Thread> recorded = thread -> false;

  private MethodTrace() {}

  /** Changes the methods of all classes below {@code io.lampone}, but those of tests. */
  static void install() {
    new AgentBuilder.Default()
        .disableClassFormatChanges()
        .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
        .ignore(nameStartsWith("net.bytebuddy"))
        .type(
            nameStartsWith("io.lampone")
                .and(not(nameStartsWith(MethodTrace.class.getName())))
                .and(not(nameStartsWith("io.lampone.embedded"))))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(Advice.to(Entry.class).on(isMethod().and(not(isTypeInitializer())))))
        .installOn(ByteBuddyAgent.install());
  }

  /** Starts to record the classes entered by these threads. */
  static void start(Predicate<Thread> threads) {
    synchronized (ENTERED) {
      ENTERED.clear();
    }
    recorded = threads;
  }

  /** Stops, and returns the simple names of the classes in the order of their first entry. */
  static List<String> stop() {
    recorded = thread -> false;
    synchronized (ENTERED) {
      return new ArrayList<>(ENTERED);
    }
  }

  /** Called by each method of the project. */
  public static void enter(Class<?> type) {
    if (!recorded.test(Thread.currentThread())) {
      return;
    }
    Class<?> top = type;
    while (top.getEnclosingClass() != null) {
      top = top.getEnclosingClass();
    }
    synchronized (ENTERED) {
      ENTERED.add(top.getSimpleName());
    }
  }

  /** Copied to the beginning of each method. */
  public static final class Entry {

    private Entry() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Origin Class<?> type) {
      MethodTrace.enter(type);
    }
  }
}
