/* A bot in C that plays at random: the whole protocol without a JSON library.
 *
 *     cc -O2 -o random_bot random_bot.c
 */
#define _POSIX_C_SOURCE 200809L /* for getline */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return the quote that ends the string which begins at `text`. */
static const char *end_of_string(const char *text) {
    while (*text && *text != '"')
        text += *text == '\\' && text[1] ? 2 : 1;
    return text;
}

/* Set `begin` and `length` to action number `wanted` of the list, exactly as it is written in the
 * line, so that it can be sent back unchanged; return the number of actions. */
static unsigned action(const char *list, unsigned wanted, const char **begin, size_t *length) {
    unsigned count = 0;
    for (const char *at = list; *at && *at != ']'; at++) {
        if (*at != '"')
            continue;
        const char *end = end_of_string(at + 1);
        if (count++ == wanted) {
            *begin = at + 1;
            *length = (size_t)(end - at - 1);
        }
        if (!*end)
            break;
        at = end;
    }
    return count;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strstr(line, "{\"type\":\"quit\"") == line)
            break;
        if (strstr(line, "{\"type\":\"choose\"") != line) { /* hello, or start of a game */
            puts("{\"type\":\"ready\"}");
        } else {
            const char *legal = strstr(line, "\"legal\":["), *seed = strstr(line, "\"seed\":");
            const char *move = "";
            size_t length = 0;
            if (!legal || !seed)
                return 1;
            unsigned count = action(legal + 9, 0, &move, &length);
            uint64_t drawn = strtoull(seed + 7, NULL, 10) * 6364136223846793005u >> 33;
            if (count)
                action(legal + 9, (unsigned)(drawn % count), &move, &length);
            printf("{\"type\":\"move\",\"move\":\"%.*s\"}\n", (int)length, move);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
