package io.lampone.faultlab.fault;

import java.util.List;

/** One fault of the cluster, with its reversal. */
interface Fault {

  /** Returns the target; fixed before the injection. */
  String target();

  /** Returns the members that it keeps down until it is healed: only the fault may start them. */
  default List<String> holds() {
    return List.of(target());
  }

  /** Does it. */
  void inject() throws Exception;

  /** Undoes it; also when it could not be injected wholly. */
  void heal() throws Exception;

  /** An action that may fail in any way. */
  interface Action {
    void run() throws Exception;
  }

  /** Of its parts. */
  static Fault of(String target, Action inject, Action heal) {
    return new Fault() {
      @Override
      public String target() {
        return target;
      }

      @Override
      public void inject() throws Exception {
        inject.run();
      }

      @Override
      public void heal() throws Exception {
        heal.run();
      }
    };
  }

  /** Same as {@link #of}, and keeps these members down. */
  static Fault holding(String target, List<String> members, Action inject, Action heal) {
    Fault plain = of(target, inject, heal);
    return new Fault() {
      @Override
      public String target() {
        return plain.target();
      }

      @Override
      public List<String> holds() {
        return List.copyOf(members);
      }

      @Override
      public void inject() throws Exception {
        plain.inject();
      }

      @Override
      public void heal() throws Exception {
        plain.heal();
      }
    };
  }

  /** One that needs no healing. */
  static Fault once(String target, Action inject) {
    return of(target, inject, () -> {});
  }
}
