/** The interactive shell: statements, verbs, terminal and session. */
@NullMarked
package io.lampone.cli.shell;

import org.jspecify.annotations.NullMarked;
