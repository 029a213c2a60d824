/** Who may talk to the transaction manager, and how that is proved. Knows no network. */
@NullMarked
package io.lampone.tm.security;

import org.jspecify.annotations.NullMarked;
