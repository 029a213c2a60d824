package io.lampone.lab.mutation;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Small change of the product that makes it wrong; except for the patch, an entry of the index.
 *
 * @param name of its file, without {@code .patch}
 * @param area part of the product, one of {@link MutantIndex#AREAS}
 * @param module folder of the Maven module that it changes
 * @param effect on users, one of {@link MutantIndex#EFFECTS}
 * @param origin commit whose fix it undoes, or empty
 * @param says description of the bug, one sentence
 * @param equivalent why no user can see it, or empty
 * @param patch unified diff
 */
record PlantedBug(
    String name,
    String area,
    String module,
    String effect,
    String origin,
    String says,
    String equivalent,
    String patch) {

  private static final String CHANGED_FILE = "+++ b/";
  private static final String PHOENIX = "phoenix";
  private static final Pattern OF_VALIDATORS =
      Pattern.compile("/(\\w*Validator|Bucket)\\w*\\.java$");

  /** Returns the files that it changes, relative to the root of the tree. */
  List<String> files() {
    return patch
        .lines()
        .filter(line -> line.startsWith(CHANGED_FILE))
        .map(line -> line.substring(CHANGED_FILE.length()).split("\t")[0].strip())
        .toList();
  }

  /** Returns the option of the lab without which it does not execute the bug; empty if none. */
  List<String> labOptions() {
    if (module.equals(PHOENIX)) {
      return List.of("--workload", "sql");
    }
    return isOfValidators() ? List.of("--validators", "2") : List.of();
  }

  /** Returns the keys of its integration tests, among them its area, unless it is one of SQL. */
  List<String> integrationTests() {
    if (module.equals(PHOENIX)) {
      return List.of("sql");
    }
    // The primary executes what validators do, too, but not all of it.
    return isOfValidators() ? List.of("validators", area) : List.of(area);
  }

  private boolean isOfValidators() {
    return files().stream().anyMatch(OF_VALIDATORS.asPredicate());
  }

  /** Returns true if a constant changes that compilers may have copied into other classes. */
  boolean changesConstant() {
    return patch
        .lines()
        .filter(line -> line.startsWith("+") && !line.startsWith(CHANGED_FILE))
        .anyMatch(line -> line.contains("static final") && !line.contains("private"));
  }
}
