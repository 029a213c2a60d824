package io.lampone.torture.fault;

/** One thing that is done to the cluster, and undone. */
interface Fault {

  /** Whom it meets; known before it is injected. */
  String target();

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

  /** One that needs no healing. */
  static Fault once(String target, Action inject) {
    return of(target, inject, () -> {});
  }
}
