/** Subcommands of {@code lampone} that measure. */
@NullMarked
package io.lampone.benchmarks.command;

import org.jspecify.annotations.NullMarked;
