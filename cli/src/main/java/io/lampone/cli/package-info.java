/** The {@code lampone} command; {@link io.lampone.cli.Lampone} is the entry point. */
@NullMarked
package io.lampone.cli;

import org.jspecify.annotations.NullMarked;
