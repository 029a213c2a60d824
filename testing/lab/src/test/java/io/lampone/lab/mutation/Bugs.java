package io.lampone.lab.mutation;

/** Planted bugs for tests. */
final class Bugs {

  private Bugs() {}

  static PlantedBug bug(String name) {
    return bug(name, "client", "client-lib", "");
  }

  static PlantedBug bug(String name, String area, String module, String equivalent) {
    return new PlantedBug(
        name,
        area,
        module,
        "loses",
        "",
        "A sentence.",
        equivalent,
        patch(module + "/src/main/java/a/Thing.java", "return 1;", "return 2;"));
  }

  /** Returns a diff of a file that consists of a class with one line in it. */
  static String patch(String file, String old, String changed) {
    return """
        --- a/%1$s
        +++ b/%1$s
        @@ -3,3 +3,3 @@
         class Thing {
        -%2$s
        +%3$s
         }
        """
        .formatted(file, old, changed);
  }
}
